"""TRN456: the template's region has the budget resource type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import budgets_resource_type_available, find_region
from trnkit.findings import Severity
from trnkit.rules.reading.budget_resources import budgets
from trnkit.rules.reading.template_region import region_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in budgets(stack_set):
        region = find_region(region_of(found.resource.template, stack_set) or "")
        if region is not None and budgets_resource_type_available(region.name) is False:
            yield Violation(
                message=f"{found.name}: CloudFormation has no AWS::Budgets::Budget in "
                f"{region.name}",
                hint="put the budget and its topic into a stack in us-east-1; budgets are global",
                resource=found.resource,
                evidence=f"catalogue, {region.name}: resource type not registered ({region.date})",
            )


_BUDGET = """\
# region: %s
Resources:
  Budget:
    Type: AWS::Budgets::Budget
    Properties:
      Budget: {BudgetType: COST, TimeUnit: MONTHLY, BudgetLimit: {Amount: 100, Unit: USD}}
"""

RULE = TemplateRule(
    id="TRN456",
    title="the template's region has the budget resource type",
    severity=Severity.ERROR,
    why="CloudFormation refuses the whole template, before it makes anything.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/resource-type-schemas.html",
    good=_BUDGET % "us-east-2",
    bad=_BUDGET % "ap-south-2",
    check=_check,
)
