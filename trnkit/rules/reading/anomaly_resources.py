"""Cost anomaly monitors and subscriptions in templates."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trnkit.catalog import anomaly_limits
from trnkit.rules.reading.budget_resources import TOPIC
from trnkit.rules.reading.template_value import TemplateValue, properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

MONITOR = "AWS::CE::AnomalyMonitor"
_SUBSCRIPTION = "AWS::CE::AnomalySubscription"


@dataclass(frozen=True, slots=True)
class AnomalySubscription:
    """A subscription to what monitors find.

    Attributes:
        resource: The resource.
        properties: Its properties.
        subscribers: Its `Subscribers`; None when it is not known how many.
    """

    resource: Resource
    properties: TemplateValue
    subscribers: tuple[TemplateValue, ...] | None

    @property
    def goes_to_topic(self) -> bool | None:
        """Whether its frequency sends to topics, and not to addresses; None when not known."""
        frequency = self.properties["Frequency"].text()
        if frequency not in anomaly_limits().frequencies:
            return None
        return frequency in anomaly_limits().topic_frequencies


def anomaly_subscriptions(stack_set: StackSet) -> Iterator[AnomalySubscription]:
    """Every anomaly subscription of the set."""
    for resource in stack_set.resources(_SUBSCRIPTION):
        properties = properties_of(resource)
        yield AnomalySubscription(resource, properties, properties["Subscribers"].entries())


def topics_of_anomalies(stack_set: StackSet) -> dict[Resource, AnomalySubscription]:
    """Every topic of the set that anomalies go to, with the first subscription that sends them."""
    topics: dict[Resource, AnomalySubscription] = {}
    for subscription in anomaly_subscriptions(stack_set):
        for subscriber in subscription.subscribers or ():
            topic = subscriber["Address"].referred(TOPIC)
            if topic is not None:
                topics.setdefault(topic, subscription)
    return topics


def json_in(value: TemplateValue) -> Any:
    """What the JSON text of a property says.

    Raises:
        ValueError: It is known, and no JSON. Unknown and absent text reads as None.
    """
    text = value.text()
    try:
        return None if text is None else json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
