"""TRN566: the subnet of an interface is one of the Auto Scaling group's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.fleets import AUTO_SCALING_GROUP, fleets
from trnkit.rules.reading.known_values import Reference
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    told: set[Resource] = set()
    for fleet in fleets(stack_set):
        template = fleet.launch_template
        if fleet.resource.type != AUTO_SCALING_GROUP or template.resource in told:
            continue
        subnets = [_subnet(value) for value in fleet.subnets or ()]
        if not subnets or None in subnets:
            continue
        for interface in template.interfaces or ():
            own = interface.value["SubnetId"]
            subnet = _subnet(own)
            if subnet is None or subnet in subnets:
                continue
            told.add(template.resource)
            yield Violation(
                message=f"{template.resource.logical_id}: the interface on {interface.place} is in "
                f"a subnet that is not among those of {fleet.resource.logical_id}",
                hint="remove SubnetId from the interfaces; the group has its subnets in "
                "VPCZoneIdentifier",
                resource=template.resource,
                path=own.path,
            )
            break


def _subnet(value: TemplateValue) -> Resource | str | None:
    """A subnet that can be compared with another; None when that is not known."""
    if isinstance(value.value, Reference):
        return value.referred("AWS::EC2::Subnet")
    text = value.text()
    # A list in one text, or a parameter's, is not one subnet.
    return text if text is not None and "," not in text else None


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
    severity=Severity.WARNING,
    why="Group and launch template then name different places for the same node. The subnets "
    "belong to the group alone.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/asg-in-vpc.html",
    good=_HEAD,
    bad=_HEAD + "            SubnetId: {Ref: Two}\n",
    check=_check,
)
