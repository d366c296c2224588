"""TRN197: nodes that ask for an IPv6 address start in subnets that have IPv6."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.fleets import fleets
from trnkit.rules.reading.ipv6_addresses import SUBNET, asks_for_ipv6, has_no_ipv6, subnets_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.launch_templates import Interface
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for fleet in fleets(stack_set):
        template = fleet.launch_template
        without: dict[str, tuple[Interface, TemplateValue]] = {}
        for interface in template.interfaces or ():
            if not asks_for_ipv6(interface):
                continue
            for value in subnets_of(fleet, interface):
                subnet = value.referred(SUBNET)
                if subnet is not None and has_no_ipv6(subnet, stack_set):
                    without.setdefault(subnet.logical_id, (interface, value))
        for subnet_name, (interface, value) in without.items():
            yield Violation(
                message=f"{value.resource.logical_id}: {template.resource.logical_id} asks for an "
                f"IPv6 address on {interface.place}, and {subnet_name} has no IPv6 block",
                hint="give the subnet an Ipv6CidrBlock, or remove the request",
                resource=value.resource,
                path=value.path,
            )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn1.2xlarge
        NetworkInterfaces: [{DeviceIndex: 0, Ipv6AddressCount: 1, Groups: [sg-1]}]
  Group:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      MinSize: "0"
      MaxSize: "4"
      VPCZoneIdentifier: [{Ref: Compute}]
      LaunchTemplate:
        LaunchTemplateId: {Ref: Nodes}
        Version: {"Fn::GetAtt": [Nodes, LatestVersionNumber]}
  Compute:
    Type: AWS::EC2::Subnet
    Properties:
      VpcId: vpc-1
      CidrBlock: 10.0.0.0/24
"""

RULE = TemplateRule(
    id="TRN197",
    title="nodes that ask for an IPv6 address start where there is IPv6",
    severity=Severity.ERROR,
    why="CloudFormation makes the launch template and the group, and EC2 refuses every launch: the "
    "subnet has no block to take an address of.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-instance-addressing.html",
    good=_HEAD + '      Ipv6CidrBlock: "2001:db8:0:1::/64"\n',
    bad=_HEAD,
    check=_check,
)
