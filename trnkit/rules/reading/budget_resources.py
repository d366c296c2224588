"""Budgets in templates: their notifications, filters and topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.rules.reading.policy_statements import ServiceUse, allows
from trnkit.rules.reading.template_value import TemplateValue, as_mapping, properties_of
from trnkit.rules.stack_set import Reference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

TOPIC = "AWS::SNS::Topic"
BUDGET = "AWS::Budgets::Budget"
_DEEPEST = 10
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

    def filtered(self, key: str, dimension: str) -> Iterator[TemplateValue]:
        """The values of a filter, in either style.

        Args:
            key: What `CostFilters` calls it, e.g. `LinkedAccount`.
            dimension: What `FilterExpression` calls it, e.g. `LINKED_ACCOUNT`.
        """
        yield from self.budget["CostFilters"][key].entries() or ()
        waiting = [(self.budget["FilterExpression"], 0)]
        while waiting:
            expression, depth = waiting.pop()
            found = expression["Dimensions"]
            options = [option.text() for option in found["MatchOptions"].entries() or ()]
            # Beginnings, endings and the like may well be no whole names.
            if found["Key"].text() == dimension and options in ([], ["EQUALS"]):
                yield from found["Values"].entries() or ()
            parts = [expression["Not"]] if expression.mapping() else []
            for several in ("And", "Or") if parts else ():
                parts += expression[several].entries() or ()
            waiting += [(part, depth + 1) for part in parts if depth < _DEEPEST]


def budgets(stack_set: StackSet) -> tuple[BudgetResource, ...]:
    """Every budget of the set."""
    return stack_set.derive(_find_budgets)


def _find_budgets(stack_set: StackSet) -> tuple[BudgetResource, ...]:
    found: list[BudgetResource] = []
    for resource in stack_set.resources(BUDGET):
        properties = properties_of(resource)
        notifications = properties["NotificationsWithSubscribers"].entries()
        found.append(BudgetResource(resource, properties["Budget"], notifications))
    return tuple(found)


def topics_of_budgets(stack_set: StackSet) -> dict[Resource, BudgetResource]:
    """Every topic of the set that a budget publishes to, with the first budget that does."""
    return stack_set.derive(_find_topics)


def _find_topics(stack_set: StackSet) -> dict[Resource, BudgetResource]:
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
    use = ServiceUse(service, ("sns:Publish",), topic)
    policies = stack_set.derive(_policies_by_topic)
    for policy in policies.get(topic, ()):
        yield allows(properties_of(policy)["PolicyDocument"], use)
    for _ in policies.get(None, ()):
        yield None


def _policies_by_topic(stack_set: StackSet) -> dict[Resource | None, list[Resource]]:
    """The policies of each topic; those of topics that are not known stand at None."""
    found: dict[Resource | None, list[Resource]] = {}
    for policy in stack_set.resources(*_POLICIES):
        inline = policy.type.endswith("InlinePolicy")
        topics = properties_of(policy)["TopicArn" if inline else "Topics"].entries()
        if topics is None or any(value.is_unknown for value in topics):
            found.setdefault(None, []).append(policy)
            continue
        for topic in dict.fromkeys(value.referred(TOPIC) for value in topics):
            if topic is not None:
                found.setdefault(topic, []).append(policy)
    return found


def key_allows(key: Resource, service: str) -> bool | None:
    """Whether a key's policy lets a service that publishes to encrypted topics use it."""
    use = ServiceUse(service, ("kms:GenerateDataKey", "kms:Decrypt"), key)
    return allows(properties_of(key)["KeyPolicy"], use)


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
    subscribed = stack_set.derive(_subscribed_topics)
    if topic in subscribed:
        return True
    return None if None in subscribed or topic in stack_set.derive(_exported) else False


def _subscribed_topics(stack_set: StackSet) -> set[Resource | None]:
    """The topics with a subscription; None among them stands for one that is not known."""
    found: set[Resource | None] = set()
    for subscription in stack_set.resources(_SUBSCRIPTION):
        value = properties_of(subscription)["TopicArn"]
        topic = value.referred(TOPIC)
        if topic is not None or value.is_unknown:
            found.add(topic)
    return found


def _exported(stack_set: StackSet) -> set[Resource]:
    """The resources that a template exports."""
    found: set[Resource] = set()
    for template in stack_set.templates:
        for output in (as_mapping(template.body.get("Outputs")) or {}).values():
            entry = as_mapping(output) or {}
            value = template.resolve(entry.get("Value"))
            if "Export" in entry and isinstance(value, Reference):
                found.add(value.resource)
    return found
