"""What counts a cluster's spending as it happens, and stops it when it is told to."""

from __future__ import annotations

from aws_cdk import CfnOutput, Environment, RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from constructs import Construct

from constructs_lib.compute import CapacityBlockEvents
from constructs_lib.cost import AlertTopic, SpendEnforcer, SpendWatchdog
from stacks.cost_stack import CostStack
from trnkit.config import ClusterConfig
from trnkit.errors import ConstructError
from trnkit.layout.budgets import without_repeats
from trnkit.layout.capacity import uses_capacity_block
from trnkit.layout.guard_plans import (
    enforcement_plan,
    guard_topic_name,
    shares_alert_topic,
    watchdog_plan,
)
from trnkit.layout.spend_guard import WatchdogPlan


class GuardStack(Stack):
    """The watchdog of a cluster and what it may do, in the cluster's Region.

    It refers to no node: groups are found by their tags. Its table is kept.
    """

    topic: sns.ITopic
    """What its alarms tell: the budget's topic, or one of its own."""

    key: kms.IKey | None
    """The topic's key; None where the topic is one of the file's."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        cluster: ClusterConfig,
        cost: CostStack,
        env: Environment,
    ) -> None:
        """Create the stack.

        Args:
            scope: The cluster's stage.
            construct_id: `Guard`.
            cluster: What is watched; it has `budget.watchdog`.
            cost: Whose topic is shared where people hear it and alarms may speak through it.
            env: Account, and the cluster's Region.

        Raises:
            ConstructError: The cluster has no watchdog, or nothing says what a month may cost.
        """
        super().__init__(
            scope, construct_id, env=env, description=f"trnkit cluster {cluster.name}: spend guard"
        )
        watchdog, plan = cluster.budget.watchdog, watchdog_plan(cluster)
        if watchdog is None or plan is None:
            raise ConstructError("budget.watchdog is needed for a guard")
        self._cluster = cluster
        if shares_alert_topic(cluster):
            self.topic, self.key = cost.topic, cost.key
        else:
            self.topic, self.key = self._own_topic()
        kept = watchdog.retain_ledger
        self._watchdog = SpendWatchdog(
            self,
            "SpendWatchdog",
            plan=plan,
            topic=self.topic,
            key=self.key,
            removal_policy=RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
            if kept
            else RemovalPolicy.DESTROY,
        )
        self._enforcer(plan)
        self._block_events()
        outputs = {
            "SpendWatchdogFunctionName": self._watchdog.function.function_name,
            "SpendTableName": self._watchdog.table.table_name,
        }
        for name, value in outputs.items():
            CfnOutput(self, name, value=value)

    def _enforcer(self, watchdog: WatchdogPlan) -> None:
        """What stops spending, where the file asks for it; `trnkit guard` finds it by its id."""
        plan = enforcement_plan(self._cluster)
        if plan is None:
            return
        enforcer = SpendEnforcer(
            self,
            "SpendEnforcer",
            watchdog=watchdog,
            plan=plan,
            table=self._watchdog.table,
            topic=self.topic,
            key=self.key,
        )
        if self.key is None:
            self._use_unknown_key(enforcer.function)
        CfnOutput(self, "SpendEnforcerFunctionName", value=enforcer.function.function_name)

    def _use_unknown_key(self, function: lambda_.IFunction) -> None:
        """The file's topic may have a key, of which the file says nothing: through SNS alone."""
        function.add_to_role_policy(
            iam.PolicyStatement(
                actions=["kms:GenerateDataKey*", "kms:Decrypt"],
                resources=[f"arn:{self.partition}:kms:{self.region}:{self.account}:key/*"],
                conditions={
                    "StringEquals": {
                        "kms:ViaService": f"sns.{self.region}.{self.url_suffix}",
                        "kms:EncryptionContext:aws:sns:topicArn": self.topic.topic_arn,
                    }
                },
            )
        )

    def _own_topic(self) -> tuple[sns.ITopic, kms.IKey]:
        """A topic that those who hear of the budget subscribe to."""
        budget = self._cluster.budget
        addresses = without_repeats(budget.emails)
        made = AlertTopic(
            self,
            "AlertTopic",
            endpoints=[*addresses, *dict.fromkeys(budget.topic_subscribers)],
            # A chat channel of the budget's stack shows it, and knows it by its name.
            topic_name=guard_topic_name(self._cluster),
        )
        CfnOutput(self, "AlertTopicArn", value=made.topic.topic_arn)
        CfnOutput(
            self,
            "ConfirmSubscriptions",
            value=f"{len(addresses)} of the topic's subscribers are e-mail addresses; "
            "each hears nothing before its owner clicks the link in the mail from AWS",
        )
        return made.topic, made.key

    def _block_events(self) -> None:
        """What EC2 says of the Capacity Blocks of the file."""
        groups = [g for g in self._cluster.compute.node_groups if uses_capacity_block(g)]
        if not groups:
            return
        ids = [group.capacity.capacity_reservation_id for group in groups]
        CapacityBlockEvents(
            self,
            "CapacityBlockEvents",
            topic=self.topic,
            key=self.key,
            cluster_name=self._cluster.name,
            # Where only a resource group is known, every block of the account is told.
            capacity_reservation_ids=() if None in ids else sorted({i for i in ids if i}),
        )
