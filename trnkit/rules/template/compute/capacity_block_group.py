"""TRN262: an Auto Scaling group of a Capacity Block has what blocks allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import capacity_block_facts
from trnkit.findings import Severity
from trnkit.rules.reading.capacity_resources import capacity_of, scheduled_actions
from trnkit.rules.reading.fleets import fleets
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.fleets import Fleet
    from trnkit.rules.stack_set import Resource, StackSet

_GROUP = "AWS::AutoScaling::AutoScalingGroup"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    groups: set[Resource] = set()
    for fleet in fleets(stack_set):
        if fleet.resource.type != _GROUP or not capacity_of(fleet.launch_template).is_block:
            continue
        groups.add(fleet.resource)
        yield from _mixed(fleet)
        yield from _sizes(fleet)
        yield from _never_empty(stack_set, fleet)
    for pool in stack_set.resources("AWS::AutoScaling::WarmPool"):
        group = properties_of(pool)["AutoScalingGroupName"]
        owner = group.referred(_GROUP)
        if owner is not None and owner in groups:
            yield Violation(
                message=f"{pool.logical_id}: is a warm pool of {owner.logical_id}, whose nodes "
                "come from a Capacity Block",
                hint="remove the warm pool; blocks do not support it",
                resource=pool,
                path=group.path,
            )


def _mixed(fleet: Fleet) -> Iterator[Violation]:
    mixed = properties_of(fleet.resource)["MixedInstancesPolicy"]
    segments = mixed["InstancesDistribution"]["DistributionSegments"]
    if not mixed.is_absent and segments.is_absent:
        yield Violation(
            message=f"{fleet.resource.logical_id}: has a MixedInstancesPolicy, which Capacity "
            "Blocks do not support",
            hint="name the launch template as LaunchTemplate instead",
            resource=fleet.resource,
            path=mixed.path,
        )


def _sizes(fleet: Fleet) -> Iterator[Violation]:
    facts, properties = capacity_block_facts(), properties_of(fleet.resource)
    target = capacity_of(fleet.launch_template).target
    if target["CapacityReservationId"].is_absent:
        return  # A resource group may hold several blocks.
    for key in ("MinSize", "MaxSize", "DesiredCapacity"):
        size = properties[key].integer()
        if size is not None and size > facts.maximum_instances:
            yield Violation(
                message=f"{fleet.resource.logical_id}: {key} is {size}; a Capacity Block has at "
                f"most {facts.maximum_instances} instances",
                hint="write the size of the block",
                resource=fleet.resource,
                path=properties[key].path,
                evidence=f"catalogue, Capacity Blocks ({facts.date})",
            )


def _never_empty(stack_set: StackSet, fleet: Fleet) -> Iterator[Violation]:
    minimum = properties_of(fleet.resource)["MinSize"]
    size = minimum.integer()
    if size and not scheduled_actions(stack_set, fleet):
        yield Violation(
            message=f"{fleet.resource.logical_id}: MinSize is {size} and nothing here scales it "
            "in before the Capacity Block ends",
            hint="write MinSize 0 and a scheduled action to 0 more than 30 minutes before the end",
            resource=fleet.resource,
            path=minimum.path,
            severity=Severity.WARNING,
        )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
        InstanceMarketOptions: {MarketType: capacity-block}
        CapacityReservationSpecification:
          CapacityReservationTarget: {CapacityReservationId: cr-0123456789abcdef0}
  Group:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      VPCZoneIdentifier: [subnet-1]
      LaunchTemplate:
        LaunchTemplateId: {Ref: Nodes}
        Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}
      MinSize: "0"
      MaxSize: """

RULE = TemplateRule(
    id="TRN262",
    title="an Auto Scaling group of a Capacity Block has what blocks allow",
    severity=Severity.ERROR,
    why="Blocks work with neither mixed instances nor warm pools; what is beyond their size or "
    "after their end never starts.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/launch-template-capacity-blocks.html",
    good=_HEAD + '"64"\n',
    bad=_HEAD + '"65"\n',
    check=_check,
)
