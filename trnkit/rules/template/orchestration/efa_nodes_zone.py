"""TRN571: nodes that work together by EFA are in one zone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.batch_jobs import COMPUTE_ENVIRONMENT
from trnkit.rules.reading.fleets import fleets
from trnkit.rules.reading.hyperpod_groups import hyperpod_groups
from trnkit.rules.reading.pcs_resources import PCS_NODE_GROUP
from trnkit.rules.reading.placement_groups import cluster_among
from trnkit.rules.reading.subnet_zones import several_zones
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

_SCHEDULED = (COMPUTE_ENVIRONMENT, PCS_NODE_GROUP)
"""Their jobs take any nodes that are free, whatever the zone."""


def _check(stack_set: StackSet) -> Iterator[Violation]:
    told: set[Resource] = set()
    for fleet in fleets(stack_set):
        has_efa = any(interface.is_efa for interface in fleet.launch_template.interfaces or ())
        # With a cluster placement group it is an error, of another rule.
        is_placed = cluster_among(fleet.placements) is not None
        if fleet.resource.type not in _SCHEDULED or fleet.resource in told:
            continue
        if has_efa and not is_placed:
            told.add(fleet.resource)
            yield from _judge(fleet.subnets or (), fleet.resource.logical_id)
    for group in hyperpod_groups(stack_set):
        known, count = group.instance_type, group.value["InstanceCount"].integer()
        if known is not None and known.maximum_efa_interfaces and count not in (0, 1):
            yield from _judge(group.network["Subnets"].entries() or (), group.name)


def _judge(subnets: tuple[TemplateValue, ...], name: str) -> Iterator[Violation]:
    zones = several_zones(subnets)
    if not zones:
        return
    resource, names = subnets[0].resource, [n for those in zones.values() for n in those]
    whose = "" if name == resource.logical_id else f"{name} "
    yield Violation(
        message=f"{resource.logical_id}: {whose}starts nodes with EFA in {len(zones)} zones "
        f"(subnets {alternatives(names, 'and')}); a job over both has no EFA between them",
        hint="name subnets of one zone",
        resource=resource,
        path=subnets[0].path[:-1],
    )


_HEAD = """\
Resources:
  One:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: vpc-1, CidrBlock: 10.0.0.0/24, AvailabilityZoneId: use2-az1}
  Two:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: vpc-1, CidrBlock: 10.0.1.0/24, AvailabilityZoneId: use2-az3}
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        NetworkInterfaces:
          - {DeviceIndex: 0, NetworkCardIndex: 0, InterfaceType: efa, Groups: [sg-1]}
  Group:
    Type: AWS::PCS::ComputeNodeGroup
    Properties:
      ClusterId: pcs_0123456789
      IamInstanceProfileArn: arn:aws:iam::111122223333:instance-profile/AWSPCS-nodes
      InstanceConfigs: [{InstanceType: trn2.3xlarge}]
      ScalingConfiguration: {MinInstanceCount: 0, MaxInstanceCount: 4}
      CustomLaunchTemplate:
        TemplateId: {Ref: Nodes}
        Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}
      SubnetIds: """

RULE = TemplateRule(
    id="TRN571",
    title="nodes that work together by EFA are in one zone",
    severity=Severity.WARNING,
    why="EFA traffic does not pass between zones: jobs of AWS Batch and AWS PCS over nodes in two "
    "hang or fall back to TCP, and HyperPod's EFA health check fails.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html",
    good=_HEAD + "[{Ref: One}]\n",
    bad=_HEAD + "[{Ref: One}, {Ref: Two}]\n",
    check=_check,
)
