"""TRN470: a percentage is no amount and no fraction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.budget_resources import budgets
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_MOST = 1000
"""As much as the cluster file takes; AWS speaks of 50 to 200 per cent of a limit."""


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in budgets(stack_set):
        for entry in found.notifications or ():
            notification = entry["Notification"]
            threshold, scale = notification["Threshold"], notification["ThresholdType"]
            number, limit = threshold.number(), found.budget["BudgetLimit"]["Amount"].number()
            in_percent = scale.is_absent or scale.text() == "PERCENTAGE"
            if number is None or not in_percent:
                continue
            if number > _MOST or 0 < number < 1:
                at = f" of {limit:g}" if limit is not None else ""
                yield Violation(
                    message=f"{found.name}: alerts at {number:g} % of its limit{at}",
                    hint=_meant(number),
                    resource=found.resource,
                    path=threshold.path,
                )


def _meant(number: float) -> str:
    if number > 1:
        return "write ThresholdType: ABSOLUTE_VALUE if an amount is meant"
    return f"write {number * 100:g} if {number * 100:g} per cent are meant"


_HEAD = """\
Resources:
  Budget:
    Type: AWS::Budgets::Budget
    Properties:
      Budget: {BudgetType: COST, TimeUnit: MONTHLY, BudgetLimit: {Amount: 100, Unit: USD}}
      NotificationsWithSubscribers:
        - Notification:
            NotificationType: ACTUAL
            ComparisonOperator: GREATER_THAN
            Threshold: 5000
            ThresholdType: %s
          Subscribers: [{SubscriptionType: EMAIL, Address: ml-platform@example.com}]
"""

RULE = TemplateRule(
    id="TRN470",
    title="a budget's percentage is no amount and no fraction",
    severity=Severity.WARNING,
    why="Without ThresholdType a threshold is in per cent: an amount taken for one is never "
    "reached, and 0.8 is reached within the first hours.",
    source="https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_Notification.html",
    good=_HEAD % "ABSOLUTE_VALUE",
    bad=_HEAD % "PERCENTAGE",
    check=_check,
)
