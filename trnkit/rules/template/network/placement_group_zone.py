"""TRN154: a group with a cluster placement group stays in one zone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.fleets import Fleet, fleets
from trnkit.rules.reading.placement_groups import cluster_among
from trnkit.rules.reading.subnet_zones import index_of_zones, several_zones
from trnkit.rules.reading.template_value import function_of, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for fleet in fleets(stack_set):
        placement_group = cluster_among(fleet.placements)
        if placement_group is None:
            continue
        if not fleet.subnets:
            yield from _listed_zones(fleet, placement_group)
            continue
        zones = several_zones(fleet.subnets)
        if zones:
            names = [name for those in zones.values() for name in those]
            yield Violation(
                message=f"{fleet.resource.logical_id}: starts nodes in {len(zones)} zones "
                f"(subnets {alternatives(names, 'and')}), but its placement group "
                f"{placement_group.logical_id} is a cluster, which is in one",
                hint="give the group a single subnet",
                resource=fleet.resource,
                path=fleet.subnets[0].path[:-1],
            )


def _listed_zones(fleet: Fleet, placement_group: Resource) -> Iterator[Violation]:
    """Zones of a group without subnets of its own: those of the default VPC."""
    for key, kind in (("AvailabilityZones", "name"), ("AvailabilityZoneIds", "id")):
        listed = properties_of(fleet.resource)[key]
        all_zones = function_of(listed.raw)[0] == "Fn::GetAZs"
        names = [
            (kind, entry.text()) if entry.text() else ("index", index_of_zones(entry.raw))
            for entry in listed.entries() or ()
        ]
        certain = {name for name in names if name[1] is not None}
        most = max(sum(k == kind for k, _ in certain) for kind in ("id", "name", "index"))
        if not all_zones and most < 2:
            continue
        yield Violation(
            message=f"{fleet.resource.logical_id}: starts nodes in "
            f"{'all zones of the region' if all_zones else f'{most} zones'}, but its placement "
            f"group {placement_group.logical_id} is a cluster, which is in one",
            hint=f"name one zone, or one subnet in place of {key}",
            resource=fleet.resource,
            path=listed.path,
            # How many zones the account sees is not known here.
            severity=Severity.WARNING if all_zones else None,
        )


_HEAD = """\
Resources:
  Together: {Type: AWS::EC2::PlacementGroup, Properties: {Strategy: cluster}}
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData: {InstanceType: trn1.32xlarge, Placement: {GroupName: {Ref: Together}}}
  One:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: vpc-1, CidrBlock: 10.0.0.0/24, AvailabilityZone: us-west-2a}
  Two:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: vpc-1, CidrBlock: 10.0.1.0/24, AvailabilityZone: us-west-2b}
  Group:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      MinSize: "0"
      MaxSize: "1"
      LaunchTemplate:
        LaunchTemplateId: {Ref: Nodes}
        Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}
"""

RULE = TemplateRule(
    id="TRN154",
    title="a cluster placement group is used in one zone",
    severity=Severity.ERROR,
    why="A cluster placement group cannot span zones: as soon as one instance runs, launches in "
    "other zones fail.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html",
    good=_HEAD + "      VPCZoneIdentifier: [{Ref: One}]\n",
    bad=_HEAD + "      VPCZoneIdentifier: [{Ref: One}, {Ref: Two}]\n",
    check=_check,
)
