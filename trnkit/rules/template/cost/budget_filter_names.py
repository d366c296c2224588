"""TRN474: a budget's cost filters have names that AWS Budgets knows."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from trnkit.catalog import budget_limits
from trnkit.findings import Severity
from trnkit.rules.judging.wording import did_you_mean
from trnkit.rules.reading.budget_resources import budgets
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    limits = budget_limits()
    spellings = {_letters(name): name for name in limits.cost_filters}
    for found in budgets(stack_set):
        filters = found.budget["CostFilters"]
        for name in map(str, filters.mapping() or ()):
            if name in limits.cost_filters or name.startswith("Fn::"):
                continue
            meant = spellings.get(_letters(name))
            close = difflib.get_close_matches(name, limits.cost_filters, n=3)
            hint = did_you_mean([meant] if meant else close, "filter on a tag with TagKeyValue")
            yield Violation(
                message=f"{found.name}: has the cost filter {name}, which AWS Budgets does not "
                "know",
                hint=hint,
                resource=found.resource,
                path=(*filters.path, name),
                # A filter of tomorrow is not a mistake.
                severity=None if meant else Severity.WARNING,
                evidence=f"catalogue, filters of a budget ({limits.date})",
            )


def _letters(name: str) -> str:
    return re.sub("[^a-z]", "", name.lower())


_BUDGET = """\
Resources:
  Budget:
    Type: AWS::Budgets::Budget
    Properties:
      NotificationsWithSubscribers:
        - Notification: {NotificationType: ACTUAL, ComparisonOperator: GREATER_THAN, Threshold: 80}
          Subscribers: [{SubscriptionType: EMAIL, Address: ml-platform@example.com}]
      Budget:
        BudgetType: COST
        TimeUnit: MONTHLY
        BudgetLimit: {Amount: 100, Unit: USD}
        CostFilters: {%s: ["111122223333"]}
"""

RULE = TemplateRule(
    id="TRN474",
    title="a budget's cost filters have names that AWS Budgets knows",
    severity=Severity.ERROR,
    why="AWS Budgets refuses a filter of another name; the registry's schema takes any. "
    "FilterExpression writes LINKED_ACCOUNT, CostFilters LinkedAccount.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create-filters.html",
    good=_BUDGET % "LinkedAccount",
    bad=_BUDGET % "LINKED_ACCOUNT",
    check=_check,
)
