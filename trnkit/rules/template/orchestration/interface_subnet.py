"""TRN566: the subnet of an interface is one of the Auto Scaling group's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.fleets import AUTO_SCALING_GROUP, fleets
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    told: set[Resource] = set()
    for fleet in fleets(stack_set):
        template, interface = fleet.launch_template.resource, fleet.interface_elsewhere
        if fleet.resource.type != AUTO_SCALING_GROUP or interface is None or template in told:
            continue
        told.add(template)
        yield Violation(
            message=f"{template.logical_id}: the interface on {interface.place} is in a subnet "
            f"that is not among those of {fleet.resource.logical_id}",
            hint="remove SubnetId from the interfaces; the group has its subnets in "
            "VPCZoneIdentifier",
            resource=template,
            path=interface.value["SubnetId"].path,
        )


_HEAD = """\
Resources:
  One: {Type: AWS::EC2::Subnet, Properties: {VpcId: vpc-1, CidrBlock: 10.0.0.0/24}}
  Two: {Type: AWS::EC2::Subnet, Properties: {VpcId: vpc-1, CidrBlock: 10.0.1.0/24}}
  Group:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      MinSize: "0"
      MaxSize: "4"
      VPCZoneIdentifier: [{Ref: One}]
      LaunchTemplate:
        LaunchTemplateId: {Ref: Nodes}
        Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.3xlarge
        NetworkInterfaces:
          - DeviceIndex: 0
            Groups: [sg-1]
"""

RULE = TemplateRule(
    id="TRN566",
    title="the subnet of an interface is one of the Auto Scaling group's",
    # Which of the two wins is not documented.
    severity=Severity.INFO,
    why="Group and launch template then name different places for the same node. The subnets "
    "belong to the group alone.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/asg-in-vpc.html",
    good=_HEAD,
    bad=_HEAD + "            SubnetId: {Ref: Two}\n",
    check=_check,
)
