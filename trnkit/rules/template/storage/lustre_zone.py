"""TRN365: a Lustre file system is in the zone of the nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.fleets import fleets
from trnkit.rules.reading.lustre_resources import lustre_file_systems
from trnkit.rules.reading.subnet_zones import zone_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    zones = _zones_of_nodes(stack_set)
    if not zones:
        return
    for found in lustre_file_systems(stack_set):
        for value in found.properties["SubnetIds"].entries() or ():
            subnet = value.referred("AWS::EC2::Subnet")
            here = zone_of(subnet) if subnet is not None else ("", None)
            # Only zones told in the same terms can be compared.
            comparable = all(kind == here[0] for kind, _ in zones)
            if here[1] is None or not comparable or here in zones:
                continue
            text = (
                f"is in zone {here[1]}, and every node is in {' or '.join(sorted(_names(zones)))}"
            )
            hint = "put the file system into the nodes' zone"
            evidence = "traffic between zones is charged both ways, and is slower"
            yield at_value(
                found.properties["SubnetIds"], Objection(text, hint, evidence), Severity.WARNING
            )


def _zones_of_nodes(stack_set: StackSet) -> set[tuple[str, str]]:
    """Zones of the accelerated nodes; empty when those of any are not known."""
    zones: set[tuple[str, str]] = set()
    for fleet in fleets(stack_set):
        if not fleet.launch_template.is_accelerated:
            continue
        if not fleet.subnets:
            return set()
        for value in fleet.subnets:
            subnet = value.referred("AWS::EC2::Subnet")
            kind, zone = zone_of(subnet) if subnet is not None else ("", None)
            if zone is None:
                return set()
            zones.add((kind, zone))
    return zones


def _names(zones: set[tuple[str, str]]) -> set[str]:
    return {zone for _, zone in zones}


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {InstanceType: trn1.32xlarge}}
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
      VPCZoneIdentifier: [{Ref: One}]
      LaunchTemplate:
        LaunchTemplateId: {Ref: Nodes}
        Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}
  Fsx:
    Type: AWS::FSx::FileSystem
    Properties:
      FileSystemType: LUSTRE
      StorageCapacity: 1200
      LustreConfiguration: {DeploymentType: SCRATCH_2}
"""


RULE = TemplateRule(
    id="TRN365",
    title="a Lustre file system is in the nodes' zone",
    severity=Severity.WARNING,
    why="Between zones every byte is paid for twice and takes longer, and EFA does not work at "
    "all.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/limits.html",
    good=_HEAD + "      SubnetIds: [{Ref: One}]\n",
    bad=_HEAD + "      SubnetIds: [{Ref: Two}]\n",
    check=_check,
)
