"""TRN467: a budget per day has no forecast."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import budget_limits
from trnkit.findings import Severity
from trnkit.rules.reading.budget_resources import budgets
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    limits = budget_limits()
    for found in budgets(stack_set):
        unit = found.budget["TimeUnit"].text()
        if unit not in limits.time_units_without_forecast:
            continue
        for entry in found.notifications or ():
            kind = entry["Notification"]["NotificationType"]
            if kind.text() == "FORECASTED":
                yield Violation(
                    message=f"{found.name}: is {unit} and has a FORECASTED notification, which "
                    "AWS Budgets refuses",
                    hint="take ACTUAL, or a longer time unit",
                    resource=found.resource,
                    path=kind.path,
                    evidence=f"catalogue, time units without a forecast ({limits.date})",
                )


_HEAD = """\
Resources:
  Budget:
    Type: AWS::Budgets::Budget
    Properties:
      Budget: {BudgetType: COST, TimeUnit: %s, BudgetLimit: {Amount: 100, Unit: USD}}
      NotificationsWithSubscribers:
        - Notification:
            {NotificationType: FORECASTED, ComparisonOperator: GREATER_THAN, Threshold: 80}
          Subscribers: [{SubscriptionType: EMAIL, Address: ml-platform@example.com}]
"""

RULE = TemplateRule(
    id="TRN467",
    title="a budget per day has no forecast alert",
    severity=Severity.ERROR,
    why="AWS Budgets refuses the notification, and the deployment fails.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-best-practices.html",
    good=_HEAD % "MONTHLY",
    bad=_HEAD % "DAILY",
    check=_check,
)
