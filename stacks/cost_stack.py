"""The budgets of a cluster."""

from __future__ import annotations

from aws_cdk import Arn, ArnComponents, CfnOutput, Environment, Stack
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from constructs import Construct

from constructs_lib.cost import (
    BudgetAlarm,
    BudgetNotification,
    ChatAlerts,
    CostAnomalyMonitor,
    CostTag,
    LaunchDenial,
    SlackChannel,
    TeamsChannel,
)
from trnkit.config import AnomalyDetectionConfig, ClusterConfig
from trnkit.config.spend_guard import ChatConfig
from trnkit.layout.budgets import BudgetPlan, activation_command, budget_plans, without_repeats
from trnkit.layout.guard_plans import guard_topic_name, launch_denial_plan, shares_alert_topic
from trnkit.layout.tags import CLUSTER_TAG


class CostStack(Stack):
    """The budget alarms, in a region that has budgets; it refers to no other stack."""

    topic: sns.ITopic
    """What every alert goes to."""

    key: kms.IKey | None
    """The topic's key; None where the topic is one of the file's."""

    budget_name: str
    """Name of the main budget, as AWS made it up."""

    def __init__(
        self, scope: Construct, construct_id: str, *, cluster: ClusterConfig, env: Environment
    ) -> None:
        """Create the stack.

        Args:
            scope: The cluster's stage.
            construct_id: `Cost`.
            cluster: What to build.
            env: Account, and the region of the budget.
        """
        super().__init__(
            scope, construct_id, env=env, description=f"trnkit cluster {cluster.name}: budget"
        )
        self._cluster = cluster
        budget = cluster.budget
        main, *further = budget_plans(cluster)
        topic = None
        if budget.topic_arn:
            topic = sns.Topic.from_topic_arn(self, "AlertTopic", budget.topic_arn)
        alarm = self._alarm("BudgetAlarm", main, topic=topic)
        for plan in further:
            self._alarm(f"FurtherBudget-{plan.name}", plan, topic=alarm.topic, shared=alarm)
        self.topic, self.key, self.budget_name = alarm.topic, alarm.key, alarm.budget_name
        for endpoint in budget.topic_subscribers:
            alarm.subscribe(endpoint)
        if budget.chat:
            self._chat(budget.chat)
        self._deny_launches()
        if budget.anomaly_detection:
            self._anomalies(budget.anomaly_detection, alarm)
        CfnOutput(self, "AlertTopicArn", value=alarm.topic.topic_arn)
        counted = [plan.tag[0] for plan in (main, *further) if plan.tag]
        if counted:
            CfnOutput(
                self,
                "ActivateCostTagCommand",
                description="Once, in the payer account, a day after the first deployment: until "
                "then budgets that count a tag stay at zero",
                value=activation_command(counted),
            )
        if budget.delivery == "topic":
            number = len(without_repeats(budget.emails))
            CfnOutput(
                self,
                "ConfirmSubscriptions",
                value=f"{number} of the topic's subscribers are e-mail addresses; "
                "each hears nothing before its owner clicks the link in the mail from AWS",
            )

    def _chat(self, config: ChatConfig) -> None:
        slack, teams = config.slack, config.teams
        ChatAlerts(
            self,
            "ChatAlerts",
            name=self._cluster.name,
            topics=[self.topic, *self._guard_topic()],
            slack=SlackChannel(slack.workspace_id, slack.channel_id) if slack else None,
            teams=TeamsChannel(teams.tenant_id, teams.team_id, teams.channel_id) if teams else None,
        )

    def _deny_launches(self) -> None:
        """Of roles that lose a right while the budget is passed; AWS Budgets has no dry run."""
        denial = launch_denial_plan(self._cluster)
        if denial is None:
            return
        budget = self._cluster.budget
        direct = budget.delivery == "direct"
        LaunchDenial(
            self,
            "LaunchDenial",
            budget_name=self.budget_name,
            role_names=denial.role_names,
            approval=denial.approval,
            emails=without_repeats(budget.emails) if direct else (),
            topic=self.topic,
        )

    def _guard_topic(self) -> list[sns.ITopic]:
        """The watchdog's own topic, by its name: its stack may be in another Region."""
        if self._cluster.budget.watchdog is None or shares_alert_topic(self._cluster):
            return []
        parts = ArnComponents(
            service="sns", region=self._cluster.region, resource=guard_topic_name(self._cluster)
        )
        arn = Arn.format(parts, self)
        return [sns.Topic.from_topic_arn(self, "GuardTopic", arn)]

    def _alarm(
        self,
        construct_id: str,
        plan: BudgetPlan,
        *,
        topic: sns.ITopic | None,
        shared: BudgetAlarm | None = None,
    ) -> BudgetAlarm:
        """A budget; the addresses subscribe to the topic once, with the main budget."""
        budget = self._cluster.budget
        addresses = without_repeats(budget.emails)
        subscribed = shared is not None and budget.delivery == "topic"
        return BudgetAlarm(
            self,
            construct_id,
            limit_usd=plan.limit,
            emails=() if subscribed else addresses,
            notifications=[
                BudgetNotification(
                    alert.percent,
                    alert.notification_type,
                    alert.amount,
                    () if alert.emails == addresses else alert.emails,
                )
                for alert in plan.alerts
            ],
            time_unit=plan.time_unit,
            cost_tag=CostTag(*plan.tag) if plan.tag else None,
            services=plan.services,
            linked_accounts=plan.linked_accounts,
            currency=budget.currency,
            delivery=budget.delivery,
            topic=topic,
            key=shared.key if shared else None,
        )

    def _anomalies(self, config: AnomalyDetectionConfig, alarm: BudgetAlarm) -> None:
        budget, immediate = self._cluster.budget, config.frequency == "IMMEDIATE"
        tag = CostTag(CLUSTER_TAG, self._cluster.name)
        watch = {"cluster": tag, "services": "services"}.get(config.monitor, config.monitor_arn)
        CostAnomalyMonitor(
            self,
            "AnomalyDetection",
            watch=watch or tag,
            threshold_usd=config.threshold_usd,
            threshold_percent=config.threshold_percent,
            frequency=config.frequency,
            emails=() if immediate else without_repeats(config.emails or budget.emails),
            topic=alarm.topic if immediate else None,
            key=alarm.key if immediate else None,
        )
