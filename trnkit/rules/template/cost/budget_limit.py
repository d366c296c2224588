"""TRN471: a budget over money or usage says how much it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.budget_resources import BudgetResource, budgets
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config.yaml_reader import Path
    from trnkit.rules.stack_set import StackSet

_WITH_LIMIT = ("COST", "USAGE")
_LIMIT, _PLANNED, _ADJUSTED = "BudgetLimit", "PlannedBudgetLimits", "AutoAdjustData"
_PLANNED_UNITS = ("MONTHLY", "QUARTERLY")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in budgets(stack_set):
        for path, text, hint in _judge(found):
            yield Violation(
                message=f"{found.name}: {text}", hint=hint, resource=found.resource, path=path
            )


def _judge(found: BudgetResource) -> Iterator[tuple[Path, str, str]]:
    budget = found.budget
    values = [budget[key] for key in (_LIMIT, _PLANNED, _ADJUSTED)]
    if budget["BudgetType"].text() in _WITH_LIMIT and all(value.is_absent for value in values):
        text = f"has no limit, and so nothing to compare a threshold with; write {_LIMIT}"
        yield values[0].path, f"{text}, {_PLANNED} or {_ADJUSTED}", "add a BudgetLimit"
    given = [value for value in values[:2] if value.mapping() is not None]
    if len(given) > 1:
        text = f"has both {_LIMIT} and {_PLANNED}, which exclude each other"
        yield given[1].path, text, "keep one of the two"
    unit, planned = budget["TimeUnit"].text(), budget[_PLANNED]
    if planned.mapping() is not None and unit is not None and unit not in _PLANNED_UNITS:
        text = f"has {_PLANNED} and the time unit {unit}; they go with"
        yield planned.path, f"{text} {alternatives(_PLANNED_UNITS)}", f"write {_LIMIT}"


_BUDGET = """\
Resources:
  Budget:
    Type: AWS::Budgets::Budget
    Properties:
      NotificationsWithSubscribers:
        - Notification: {NotificationType: ACTUAL, ComparisonOperator: GREATER_THAN, Threshold: 80}
          Subscribers: [{SubscriptionType: EMAIL, Address: ml-platform@example.com}]
      Budget: {BudgetType: COST, TimeUnit: MONTHLY%s}
"""

RULE = TemplateRule(
    id="TRN471",
    title="a budget says how much it is",
    severity=Severity.ERROR,
    why="AWS Budgets refuses a budget over cost or usage without a limit, and one with two.",
    source="https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_CreateBudget.html",
    good=_BUDGET % ", BudgetLimit: {Amount: 100, Unit: USD}",
    bad=_BUDGET % "",
    check=_check,
)
