"""The budget of a cluster."""

from __future__ import annotations

from aws_cdk import CfnOutput, Environment, Stack
from constructs import Construct

from constructs_lib.cost import BudgetAlarm, BudgetNotification, CostTag
from trnkit.config import ClusterConfig
from trnkit.layout.tags import CLUSTER_TAG


class CostStack(Stack):
    """The budget alarm, in a region that has budgets; it refers to no other stack."""

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
        budget = cluster.budget
        alarm = BudgetAlarm(
            self,
            "BudgetAlarm",
            limit_usd=budget.limit_usd,
            emails=budget.emails,
            notifications=[
                BudgetNotification(threshold.percent, threshold.notification_type)
                for threshold in budget.thresholds
            ],
            time_unit=budget.time_unit,
            cost_tag=CostTag(CLUSTER_TAG, cluster.name) if budget.scope == "cluster" else None,
            services=budget.services,
        )
        CfnOutput(self, "AlertTopicArn", value=alarm.topic.topic_arn)
