"""TRN404: the budget's region has the budget resource type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import budgets_resource_type_available, find_region
from trnkit.findings import Severity
from trnkit.layout.tags import BUDGETS_HOME_REGION, budget_region
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    name = budget_region(cluster)
    region = find_region(name)
    if region is not None and budgets_resource_type_available(name) is False:
        yield Violation(
            message=f"budget.region is {name}, where CloudFormation has no AWS::Budgets::Budget",
            hint=f"write {BUDGETS_HOME_REGION}, or leave it out; budgets are global",
            path=("budget", "region"),
            evidence=f"catalogue, {name}: resource type not registered ({region.date})",
        )


RULE = ConfigRule(
    id="TRN404",
    title="the budget's region has the budget resource type",
    severity=Severity.ERROR,
    why="CloudFormation refuses a whole template that holds a resource type its region lacks.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/resource-type-schemas.html",
    good="budget: {region: us-east-1}\n",
    bad="budget: {region: ap-south-2}\n",
    check=_check,
)
