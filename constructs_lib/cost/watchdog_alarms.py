"""The alarms of a watchdog: on what it counts, on its silence, and on what it could not handle.

An alarm on a number looks at it every minute and stays as it is between two polls. One on time
(unused, idle, silent) has a period for each poll.

Sources:
    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
    https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aws_cdk import aws_cloudwatch as cloudwatch

from constructs_lib.cost.alert_topic import wait_for_policy
from trnkit.layout.spend_guard import SPEND_METRICS

if TYPE_CHECKING:
    from aws_cdk import aws_sns as sns
    from aws_cdk import aws_sqs as sqs
    from constructs import Construct

    from trnkit.layout.spend_guard import WatchdogPlan

SILENT_POLLS = 3
"""Polls that may fail, one after the other, before people hear of it."""

_MINUTE = 60
_DAY = 86_400  # longest that an alarm with periods below an hour looks back
_SCHEDULE_MINUTES = 1  # EventBridge starts a schedule within its minute
_METRIC_MINUTES = 2  # until CloudWatch has a metric that was sent
_LOOK_MINUTES = 1  # between two looks at an alarm


def hears_within(plan: WatchdogPlan, timeout_seconds: int) -> int:
    """Minutes from a launch to the message of the alarm on the spend rate, at worst."""
    function_minutes = -(-timeout_seconds // _MINUTE)
    late = _SCHEDULE_MINUTES + function_minutes + _METRIC_MINUTES + _LOOK_MINUTES
    return plan.poll_minutes + late


def create_alarms(
    scope: Construct, plan: WatchdogPlan, topic: sns.ITopic, letters: sqs.Queue
) -> None:
    """Create them all, each after the topic's policy."""
    alarms = _Alarms(scope, plan, topic)
    alarms.of_money()
    alarms.of_time()
    alarms.of_itself(letters)


class _Alarms:
    def __init__(self, scope: Construct, plan: WatchdogPlan, topic: sns.ITopic) -> None:
        self._scope, self._plan, self._topic = scope, plan, topic

    def of_money(self) -> None:
        plan = self._plan
        if plan.spend_rate_usd_per_hour is not None:
            self._number(
                "SpendRate",
                "rate",
                plan.spend_rate_usd_per_hour,
                f"spends more than ${plan.spend_rate_usd_per_hour:,.2f} an hour",
                tell_ok=True,
            )
        for percent in plan.alert_percent:
            # Finer than a cent: the least limit of a file is one, and nothing is below zero.
            limit = round(plan.month_limit_usd * percent / 100, 6)
            self._number(
                f"Month{percent:g}Percent".replace(".", "Point"),
                "month",
                limit,
                f"has spent {percent:g} per cent of the month's ${plan.month_limit_usd:,.2f}, "
                "as the watchdog counts it",
            )
        self._number(
            "Unpriced",
            "unpriced",
            1,
            "has instances without a known price: they cost money that the watchdog does not "
            "count. Give their price in budget.prices_file",
        )

    def of_time(self) -> None:
        """Of reservations and of idle groups, for as long as is allowed."""
        plan = self._plan
        self._while(
            "UnusedReserved",
            "unused",
            plan.unused_block_minutes,
            1,
            f"has had reserved instances that nobody uses for {plan.unused_block_minutes} minutes",
        )
        if plan.idle_alert_minutes is None:
            return
        for group in plan.groups:
            self._while(
                f"Idle-{group.name}",
                "idle",
                plan.idle_alert_minutes,
                1,
                f"has had no NeuronCore in use in the node group {group.name} for "
                f"{plan.idle_alert_minutes} minutes",
                node_group=group.name,
            )

    def of_itself(self, letters: sqs.Queue) -> None:
        plan = self._plan
        self._create(
            "Silent",
            SPEND_METRICS["beat"],
            f"is not watched: {SILENT_POLLS} polls failed or did not run. The log of the function "
            "says why",
            namespace=plan.namespace,
            dimensions=self._dimensions(None),
            statistic="Maximum",
            period=plan.poll_minutes * _MINUTE,
            periods=SILENT_POLLS,
            comparison="LessThanThreshold",
            threshold=1,
            missing="breaching",
            tell_ok=True,
        )
        self._create(
            "DeadLetters",
            "NumberOfMessagesSent",
            "has events that the watchdog could not handle; they are in its queue of dead letters",
            namespace="AWS/SQS",
            dimensions={"QueueName": letters.queue_name},
            statistic="Sum",
            period=5 * _MINUTE,
            periods=1,
            comparison="GreaterThanThreshold",
            threshold=0,
            missing="notBreaching",
        )

    def _number(
        self, construct_id: str, metric: str, threshold: float, says: str, *, tell_ok: bool = False
    ) -> None:
        """On a number: as soon as it is there."""
        self._create(
            construct_id,
            SPEND_METRICS[metric],
            says,
            namespace=self._plan.namespace,
            dimensions=self._dimensions(None),
            statistic="Maximum",
            period=_MINUTE,
            periods=1,
            # A rate may be reached; what is counted may not.
            comparison="GreaterThanThreshold"
            if metric == "rate"
            else "GreaterThanOrEqualToThreshold",
            threshold=threshold,
            missing="ignore",
            tell_ok=tell_ok,
        )

    def _while(
        self,
        construct_id: str,
        metric: str,
        minutes: int,
        threshold: float,
        says: str,
        *,
        node_group: str | None = None,
    ) -> None:
        """On a number that is so all the time; of a group that nobody knows of, it is not idle."""
        period = self._plan.poll_minutes * _MINUTE
        periods = min(-(-minutes * _MINUTE // period), _DAY // period)
        self._create(
            construct_id,
            SPEND_METRICS[metric],
            says,
            namespace=self._plan.namespace,
            dimensions=self._dimensions(node_group),
            statistic="Minimum",
            period=period,
            periods=periods,
            comparison="GreaterThanOrEqualToThreshold",
            threshold=threshold,
            missing="notBreaching" if node_group else "ignore",
        )

    def _dimensions(self, node_group: str | None) -> dict[str, str]:
        cluster = {"ClusterName": self._plan.cluster}
        return cluster if node_group is None else {**cluster, "NodeGroup": node_group}

    def _create(
        self,
        construct_id: str,
        metric: str,
        says: str,
        *,
        namespace: str,
        dimensions: dict[str, str],
        statistic: str,
        period: int,
        periods: int,
        comparison: str,
        threshold: float,
        missing: str,
        tell_ok: bool = False,
    ) -> None:
        told: list[Any] = [self._topic.topic_arn]
        dimension = cloudwatch.CfnAlarm.DimensionProperty
        alarm = cloudwatch.CfnAlarm(
            self._scope,
            f"{construct_id}Alarm",
            alarm_description=f"The cluster {self._plan.cluster} {says}",
            namespace=namespace,
            metric_name=metric,
            dimensions=[dimension(name=name, value=value) for name, value in dimensions.items()],
            statistic=statistic,
            period=period,
            evaluation_periods=periods,
            datapoints_to_alarm=periods,
            comparison_operator=comparison,
            threshold=threshold,
            treat_missing_data=missing,
            alarm_actions=told,
            ok_actions=told if tell_ok else None,
        )
        wait_for_policy(alarm, self._topic)
