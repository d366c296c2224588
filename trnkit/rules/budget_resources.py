"""Budgets in templates: their notifications, filters and topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.rules.policy_statements import allows
from trnkit.rules.stack_set import Reference
from trnkit.rules.template_value import TemplateValue, as_mapping, properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

TOPIC = "AWS::SNS::Topic"
_BUDGET = "AWS::Budgets::Budget"
_SUBSCRIPTION = "AWS::SNS::Subscription"
_POLICIES = ("AWS::SNS::TopicPolicy", "AWS::SNS::TopicInlinePolicy")


@dataclass(frozen=True, slots=True)
class BudgetResource:
    """A budget of a template.

    Attributes:
        resource: The resource.
        budget: Its `Budget`.
        notifications: Its `NotificationsWithSubscribers`; None when it is not known how many.
    """

    resource: Resource
    budget: TemplateValue
    notifications: tuple[TemplateValue, ...] | None

    @property
    def name(self) -> str:
        """Its logical id."""
        return self.resource.logical_id


def budgets(stack_set: StackSet) -> Iterator[BudgetResource]:
    """Every budget of the set."""
    for resource in stack_set.resources(_BUDGET):
        properties = properties_of(resource)
        yield BudgetResource(
            resource,
            properties["Budget"],
            properties["NotificationsWithSubscribers"].entries(),
        )


def topics_of_budgets(stack_set: StackSet) -> dict[Resource, BudgetResource]:
    """Every topic of the set that a budget publishes to, with the first budget that does."""
    topics: dict[Resource, BudgetResource] = {}
    for budget in budgets(stack_set):
        for notification in budget.notifications or ():
            for subscriber in notification["Subscribers"].entries() or ():
                topic = subscriber["Address"].referred(TOPIC)
                if topic is not None:
                    topics.setdefault(topic, budget)
    return topics


def policy_verdicts(topic: Resource, service: str, stack_set: StackSet) -> Iterator[bool | None]:
    """What each policy that is, or may be, a topic's says of a service's publishing."""
    for policy in stack_set.resources(*_POLICIES):
        properties = properties_of(policy)
        inline = policy.type.endswith("InlinePolicy")
        topics = properties["TopicArn" if inline else "Topics"].entries()
        if topics is None or any(value.is_unknown for value in topics):
            yield None
        elif any(value.referred(TOPIC) is topic for value in topics):
            yield allows(properties["PolicyDocument"], service, ("sns:Publish",))


def key_of_topic(topic: Resource) -> Resource | None:
    """The key of the set that encrypts a topic, also through its alias."""
    value = properties_of(topic)["KmsMasterKeyId"]
    alias = value.referred("AWS::KMS::Alias")
    return (properties_of(alias)["TargetKeyId"] if alias else value).referred("AWS::KMS::Key")


def has_subscribers(topic: Resource, stack_set: StackSet) -> bool | None:
    """Whether anybody subscribes to a topic in the set; None when that is not known.

    A topic that its template exports may have subscribers in templates that are not here.
    """
    inline = properties_of(topic)["Subscription"].entries()
    if inline is None or inline:
        return None if inline is None else True
    doubtful = _is_exported(topic)
    for subscription in stack_set.resources(_SUBSCRIPTION):
        value = properties_of(subscription)["TopicArn"]
        if value.referred(TOPIC) is topic:
            return True
        doubtful |= value.is_unknown
    return None if doubtful else False


def _is_exported(resource: Resource) -> bool:
    outputs = as_mapping(resource.template.body.get("Outputs")) or {}
    for output in outputs.values():
        entry = as_mapping(output) or {}
        value = resource.resolve(entry.get("Value"))
        if "Export" in entry and isinstance(value, Reference) and value.resource is resource:
            return True
    return False
