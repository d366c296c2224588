"""TRN261: nodes of a Capacity Block are in no placement group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.capacity_resources import capacity_of
from trnkit.rules.reading.fleets import accelerated_templates, fleets
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in accelerated_templates(stack_set):
        if capacity_of(template).is_block:
            placement = template.data["Placement"]
            for value in (placement["GroupName"], placement["GroupId"]):
                yield from _judge(template.resource, value)
    for fleet in fleets(stack_set):
        if capacity_of(fleet.launch_template).is_block:
            yield from _judge(fleet.resource, fleet.placement_group)


def _judge(resource: Resource, value: TemplateValue) -> Iterator[Violation]:
    # A condition may well leave the group out.
    if not value.is_absent and not value.is_unknown:
        yield Violation(
            message=f"{resource.logical_id}: puts nodes of a Capacity Block into a placement group",
            hint="remove the placement group; a block places its instances together itself",
            resource=resource,
            path=value.path,
        )


_HEAD = """\
Resources:
  Together: {Type: AWS::EC2::PlacementGroup, Properties: {Strategy: cluster}}
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
        InstanceMarketOptions: {MarketType: capacity-block}
        CapacityReservationSpecification:
          CapacityReservationTarget: {CapacityReservationId: cr-0123456789abcdef0}
"""

RULE = TemplateRule(
    id="TRN261",
    title="nodes of a Capacity Block are in no placement group",
    severity=Severity.ERROR,
    why="EC2 refuses the launch: Capacity Blocks do not support placement groups.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html",
    good=_HEAD,
    bad=_HEAD + "        Placement: {GroupName: {Ref: Together}}\n",
    check=_check,
)
