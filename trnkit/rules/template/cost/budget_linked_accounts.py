"""TRN468: a budget's filter on accounts names account ids."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.budget_resources import budgets
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in budgets(stack_set):
        for entry in found.filtered("LinkedAccount", "LINKED_ACCOUNT"):
            text = entry.text()
            if text is not None and re.fullmatch("[0-9]{12}", text) is None:
                yield Violation(
                    message=f"{found.name}: filters on the account {text}, which is no account id: "
                    "12 digits",
                    hint="write the id in quotation marks, so that it keeps its zeros",
                    resource=found.resource,
                    path=entry.path,
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
        CostFilters: {LinkedAccount: ["%s"]}
"""

RULE = TemplateRule(
    id="TRN468",
    title="a budget's filter on accounts names account ids",
    severity=Severity.ERROR,
    why="A filter on anything else matches nothing, so the budget stays at zero without a word.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create-filters.html",
    good=_HEAD % "012345678901",
    bad=_HEAD % "12345678901",
    check=_check,
)
