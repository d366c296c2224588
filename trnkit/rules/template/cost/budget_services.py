"""TRN457: services in a budget's filter have their billing names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.billing_names import right_billing_names
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.budget_resources import budgets
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in budgets(stack_set):
        for entry in found.filtered("Service", "SERVICE"):
            name = entry.text()
            right = right_billing_names(name) if name is not None else None
            if right:
                yield Violation(
                    message=f"{found.name}: filters on the service {name}, which billing calls "
                    f"{alternatives(right)}",
                    hint=f"write {alternatives(right)}",
                    resource=found.resource,
                    path=entry.path,
                    evidence="catalogue, values of the billing dimension SERVICE",
                )


_HEAD = """\
Resources:
  Budget:
    Type: AWS::Budgets::Budget
    Properties:
      Budget:
        BudgetType: COST
        TimeUnit: MONTHLY
        BudgetLimit: {Amount: 100, Unit: USD}
        CostFilters: {Service: ["%s"]}
"""

RULE = TemplateRule(
    id="TRN457",
    title="budget services have their billing names",
    severity=Severity.ERROR,
    why="A filter on a name that billing does not use matches nothing, so the budget stays at zero "
    "without a word.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create-filters.html",
    good=_HEAD % "Amazon Elastic Compute Cloud - Compute",
    bad=_HEAD % "EC2-Instances",
    check=_check,
)
