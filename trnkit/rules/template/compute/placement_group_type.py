"""TRN288: instances in a cluster placement group are of types that can be in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type, placement_facts
from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.fleets import INSTANCE, fleets, fleets_of
from trnkit.rules.reading.launch_templates import LAUNCH_TEMPLATE, read_launch_template
from trnkit.rules.reading.placement_groups import cluster_among
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for fleet in fleets(stack_set):
        template = fleet.launch_template
        types = fleet.types if fleet.overrides_type else (template.data["InstanceType"],)
        yield from _judge(fleet.resource, fleet.placements, types or ())
    for resource in stack_set.resources(LAUNCH_TEMPLATE):
        template = read_launch_template(resource)
        if not fleets_of(template, stack_set):
            placement = template.data["Placement"]
            places = (placement["GroupName"], placement["GroupId"])
            yield from _judge(resource, places, (template.data["InstanceType"],))
    for resource in stack_set.resources(INSTANCE):
        properties = properties_of(resource)
        if properties["LaunchTemplate"].is_absent:
            places = (properties["PlacementGroupName"],)
            yield from _judge(resource, places, (properties["InstanceType"],))


def _judge(
    resource: Resource, places: tuple[TemplateValue, ...], types: tuple[TemplateValue, ...]
) -> Iterator[Violation]:
    group = cluster_among(places)
    unfit = [value for value in types if _is_unfit(value.text())]
    if group is not None and unfit:
        names = alternatives(dict.fromkeys(value.text() for value in unfit), "and")
        yield Violation(
            message=f"{resource.logical_id}: starts {names} in {group.logical_id}, a cluster "
            "placement group, which that type cannot be in",
            hint="leave the placement group to the accelerated nodes",
            resource=resource,
            path=unfit[0].path if unfit[0].resource is resource else (),
            evidence=f"catalogue, placement groups ({placement_facts().date})",
        )


def _is_unfit(name: str | None) -> bool:
    known = find_instance_type(name or "")
    if known is not None and known.placement_strategies:
        return "cluster" not in known.placement_strategies
    return (name or "").partition(".")[0] in placement_facts().families_without_cluster


_HEAD = """\
Resources:
  Together: {Type: AWS::EC2::PlacementGroup, Properties: {Strategy: cluster}}
  Login:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData: {InstanceType: %s, Placement: {GroupName: {Ref: Together}}}
"""

RULE = TemplateRule(
    id="TRN288",
    title="instances in a cluster placement group are of types that can be in one",
    severity=Severity.ERROR,
    why="EC2 refuses to launch burstable, flexible and Mac instances in a cluster placement group.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html",
    good=_HEAD % "m7i.xlarge",
    bad=_HEAD % "t3.xlarge",
    check=_check,
)
