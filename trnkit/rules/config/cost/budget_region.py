"""TRN404: the budget's region is one, of the cluster's partition, with the resource type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import budgets_resource_type_available, find_region, region_names
from trnkit.findings import Severity, nearest
from trnkit.layout.tags import BUDGETS_HOME_REGION, budget_region
from trnkit.rules.judging.region_shape import is_region_shaped, partition_of
from trnkit.rules.judging.wording import did_you_mean
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


_HINT = f"write {BUDGETS_HOME_REGION}, or leave it out; budgets are global"


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    written = cluster.budget.region
    if written is not None and not is_region_shaped(written):
        yield Violation(
            message=f"budget.region is {written}, which is no region's name",
            hint=did_you_mean(nearest(written, region_names()), _HINT),
            path=("budget", "region"),
        )
        return
    name = budget_region(cluster)
    own, other = partition_of(cluster.region), partition_of(name)
    if own is not None and own != other:
        says = "is" if written else "is not given, and the one taken is"
        yield Violation(
            message=f"budget.region {says} {name}, of the partition {other}; the cluster's "
            f"region {cluster.region} is of {own}",
            hint=f"write a region of {own} that has AWS::Budgets::Budget",
            path=("budget", "region"),
        )
        return
    region = find_region(name)
    if region is not None and budgets_resource_type_available(name) is False:
        yield Violation(
            message=f"budget.region is {name}, where CloudFormation has no AWS::Budgets::Budget",
            hint=_HINT,
            path=("budget", "region"),
            evidence=f"catalogue, {name}: resource type not registered ({region.date})",
        )


RULE = ConfigRule(
    id="TRN404",
    title="the budget's region is of the cluster's partition and has the budget resource type",
    severity=Severity.ERROR,
    why="CloudFormation refuses a whole template that holds a resource type its region lacks.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/resource-type-schemas.html",
    good="budget: {region: us-east-1}\n",
    bad="budget: {region: ap-south-2}\n",
    check=_check,
)
