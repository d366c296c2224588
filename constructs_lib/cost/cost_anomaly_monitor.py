"""Alerts on cost that leaves its usual course."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from aws_cdk import aws_ce as ce
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from constructs import Construct

from constructs_lib.arguments import is_text, is_unresolved, number, one_of, text, text_list
from constructs_lib.cost.alert_topic import let_publish, wait_for_policy
from constructs_lib.cost.budget_notification import CostTag, check_cost_tag
from trnkit.catalog import anomaly_limits
from trnkit.config.values import AnomalyMonitorArn, Email
from trnkit.errors import ConstructError
from trnkit.layout.anomalies import monitor_specification, threshold_expression

_FREQUENCIES = ("IMMEDIATE", "DAILY", "WEEKLY")


class CostAnomalyMonitor(Construct):
    """A monitor of AWS Cost Anomaly Detection and a subscription to what it finds.

    Creates `AWS::CE::AnomalySubscription` and, unless it subscribes to an existing monitor,
    `AWS::CE::AnomalyMonitor`: over one cost tag, or over all AWS services of the account.

    AWS lets only an organization's management account make a monitor over a tag, and an account has
    at most one over its services, which many have from the start. Anomalies are seen up to a day
    late and in services with ten days of history; fees paid up front, such as those of Capacity
    Blocks, are not looked at.

    The resources carry no tags: a changed tag would replace the monitor, and what it has learned
    with it.

    Sources:
        https://docs.aws.amazon.com/cost-management/latest/userguide/getting-started-ad.html
        https://docs.aws.amazon.com/cost-management/latest/userguide/ad-SNS.html
        https://docs.aws.amazon.com/cost-management/latest/userguide/management-limits.html

    Example:
        >>> from aws_cdk import App, Environment, Stack
        >>> from constructs_lib.cost import CostAnomalyMonitor, CostTag
        >>> stack = Stack(App(), "Cost", env=Environment(region="us-east-1"))
        >>> anomalies = CostAnomalyMonitor(
        ...     stack, "Anomalies", watch=CostTag("trnkit-cluster", "pretrain"),
        ...     threshold_usd=500, emails=["ml-platform@example.com"])
    """

    monitor_arn: str
    """The monitor, for further subscriptions."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        watch: CostTag | Literal["services"] | str,
        threshold_usd: float | None = None,
        threshold_percent: float | None = None,
        frequency: Literal["IMMEDIATE", "DAILY", "WEEKLY"] = "DAILY",
        emails: Sequence[str] = (),
        topic: sns.ITopic | None = None,
        key: kms.IKey | None = None,
    ) -> None:
        """Create the monitor and the subscription.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            watch: A cost tag, `"services"` for all AWS services of the account, or the ARN of an
                existing monitor.
            threshold_usd: Smallest impact that alerts, in dollars above what was expected.
            threshold_percent: The same in per cent. An anomaly must reach both where both are
                given; one of them must be.
            frequency: `IMMEDIATE` sends each anomaly to the topic; `DAILY` and `WEEKLY` send
                summaries to the addresses.
            emails: Addresses of the summaries; none with `IMMEDIATE`.
            topic: The topic of `IMMEDIATE`, and none otherwise. One that is imported by its ARN
                must let `costalerts.amazonaws.com` publish already; one of this app is extended.
            key: The topic's key. An imported one must let that service use it already.

        Raises:
            ConstructError: No threshold, recipients that do not fit the frequency, or a value of
                another kind.
        """
        super().__init__(scope, construct_id)
        one_of("frequency", frequency, _FREQUENCIES)
        text_list("emails", emails, Email)
        for name, threshold in (
            ("threshold_usd", threshold_usd),
            ("threshold_percent", threshold_percent),
        ):
            _check_threshold(name, threshold)
        if threshold_usd is None and threshold_percent is None:
            raise ConstructError("give threshold_usd, threshold_percent or both")
        _check_recipients(frequency, emails, topic)
        kind = _name(watch)
        if kind is None:
            self.monitor_arn = str(watch)
        else:
            self.monitor_arn = self._monitor(watch, kind).attr_monitor_arn
        data = ce.CfnAnomalySubscription
        subscription = data(
            self,
            "Subscription",
            subscription_name=f"{kind or self.node.id} {frequency.lower()}",
            monitor_arn_list=[self.monitor_arn],
            frequency=frequency,
            threshold_expression=threshold_expression(threshold_usd, threshold_percent),
            subscribers=[
                *(data.SubscriberProperty(type="EMAIL", address=address) for address in emails),
                *_topic_subscriber(topic),
            ],
        )
        subscription.add_property_deletion_override("ResourceTags")
        if topic is not None:
            let_publish(self, "anomalies", topic, key)
            wait_for_policy(subscription, topic)

    def _monitor(self, watch: CostTag | str, name: str) -> ce.CfnAnomalyMonitor:
        """The name tells what is watched: what replaces a monitor changes its name too."""
        tag = watch if isinstance(watch, CostTag) else None
        monitor = ce.CfnAnomalyMonitor(
            self,
            "Resource",
            monitor_name=name,
            monitor_type="CUSTOM" if tag else "DIMENSIONAL",
            monitor_dimension=None if tag else "SERVICE",
            monitor_specification=monitor_specification(*tag) if tag else None,
        )
        monitor.add_property_deletion_override("ResourceTags")
        return monitor


def _name(watch: CostTag | str) -> str | None:
    """What a monitor is called; None for one that exists."""
    if isinstance(watch, CostTag):
        check_cost_tag(watch)
        return f"{watch.key}={watch.value}"
    if watch == "services":
        return "AWS services"
    if not is_text(watch) or not (is_unresolved(watch) or watch.startswith("arn:")):
        raise ConstructError(
            f"watch must be a CostTag, 'services' or the ARN of a monitor, got {watch!r}"
        )
    text("watch", watch, AnomalyMonitorArn)
    return None


def _topic_subscriber(topic: sns.ITopic | None) -> list[Any]:
    if topic is None:
        return []
    subscriber = ce.CfnAnomalySubscription.SubscriberProperty
    return [subscriber(type="SNS", address=topic.topic_arn)]


def _check_threshold(name: str, threshold: float | None) -> None:
    most = anomaly_limits().threshold_maximum
    number(name, threshold, above=0, most=most, optional=True)


def _check_recipients(frequency: str, emails: Sequence[str], topic: sns.ITopic | None) -> None:
    limits = anomaly_limits()
    if frequency in limits.topic_frequencies:
        if topic is None or emails:
            raise ConstructError(f"{frequency} goes to a topic, and to no address")
        return
    if topic is not None or not emails:
        raise ConstructError(f"{frequency} goes to addresses, and to no topic")
    for address in emails:
        if re.fullmatch(limits.email_pattern, address) is None:
            raise ConstructError(f"Cost Anomaly Detection does not take the address {address}")
    if len(set(emails)) < len(emails):
        raise ConstructError("emails must not name an address twice")
