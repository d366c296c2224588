"""Budgets in templates: their notifications, filters and topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.rules.template_value import TemplateValue, properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

TOPIC = "AWS::SNS::Topic"
_BUDGET = "AWS::Budgets::Budget"


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
