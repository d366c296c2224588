"""TRN287: partitions go with partition placement groups, and a placement names its group once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import placement_facts
from trnkit.findings import Severity
from trnkit.rules.reading.launch_templates import LAUNCH_TEMPLATE
from trnkit.rules.reading.placement_groups import PLACEMENT_GROUP
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource in stack_set.resources(PLACEMENT_GROUP):
        yield from _partitions(properties_of(resource))
    for resource in stack_set.resources(LAUNCH_TEMPLATE):
        yield from _placement(properties_of(resource)["LaunchTemplateData"]["Placement"])


def _partitions(group: TemplateValue) -> Iterator[Violation]:
    count, strategy, facts = group["PartitionCount"], group["Strategy"], placement_facts()
    number, kind = count.integer(), strategy.text()
    if number is None:
        return
    if strategy.is_absent or kind not in (None, "partition"):
        is_what = f"is a {kind}" if kind else "names no strategy"
        yield _violation(
            count,
            f"{is_what} and has a PartitionCount",
            "remove PartitionCount, or set Strategy to partition",
        )
    elif kind == "partition" and not 1 <= number <= facts.maximum_partitions:
        yield _violation(
            count,
            f"has {number} partitions; a group has 1 to {facts.maximum_partitions}",
            "change PartitionCount",
            f"catalogue, placement groups ({facts.date})",
        )


def _placement(placement: TemplateValue) -> Iterator[Violation]:
    name, group_id, number = (placement[key] for key in ("GroupName", "GroupId", "PartitionNumber"))
    if _is_there(name) and _is_there(group_id):
        text = "names both GroupName and GroupId in its Placement; EC2 takes one of them"
        yield _violation(group_id, text, "remove GroupId")
    for value in (name, group_id):
        group = value.referred(PLACEMENT_GROUP)
        kind = properties_of(group)["Strategy"].text() if group else None
        if group is not None and kind not in (None, "partition") and number.integer() is not None:
            text = f"names a partition of {group.logical_id}, which is a {kind}"
            yield _violation(number, text, "remove PartitionNumber")


def _is_there(value: TemplateValue) -> bool:
    # A condition may well leave it out.
    return not value.is_absent and not value.is_unknown


def _violation(
    value: TemplateValue, text: str, hint: str, evidence: str | None = None
) -> Violation:
    return Violation(
        message=f"{value.resource.logical_id}: {text}",
        hint=hint,
        resource=value.resource,
        path=value.path,
        evidence=evidence,
    )


_HEAD = """\
Resources:
  Together:
    Type: AWS::EC2::PlacementGroup
    Properties: {PartitionCount: 3, Strategy: %s}
"""

RULE = TemplateRule(
    id="TRN287",
    title="partitions go with partition placement groups, and a placement names its group once",
    severity=Severity.ERROR,
    why="EC2 refuses the placement group, or the launch.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreatePlacementGroup.html",
    good=_HEAD % "partition",
    bad=_HEAD % "cluster",
    check=_check,
)
