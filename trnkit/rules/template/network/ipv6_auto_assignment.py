"""TRN195: no subnet gives IPv6 addresses to EFA-only interfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.fleets import fleets
from trnkit.rules.reading.ipv6_addresses import SUBNET, decides_ipv6, gives_ipv6, subnets_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.fleets import Fleet
    from trnkit.rules.reading.launch_templates import Interface
    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    seen: set[tuple[Resource, Resource]] = set()
    for fleet in fleets(stack_set):
        template = fleet.launch_template
        for subnet, those in _reached(fleet).items():
            if (subnet, template.resource) in seen:
                continue
            seen.add((subnet, template.resource))
            places = alternatives([interface.place for interface in those], "and")
            yield Violation(
                message=f"{subnet.logical_id}: gives an IPv6 address to each interface, and "
                f"{template.resource.logical_id} has efa-only ones, which take none: {places}",
                hint="set AssignIpv6AddressOnCreation to false, and Ipv6AddressCount: 1 on the "
                "primary interface",
                resource=subnet,
                path=("Properties", "AssignIpv6AddressOnCreation"),
            )


def _reached(fleet: Fleet) -> dict[Resource, list[Interface]]:
    """Subnets that give IPv6 addresses, with the EFA-only interfaces that would be made there."""
    found: dict[Resource, list[Interface]] = {}
    for interface in fleet.launch_template.interfaces or ():
        if interface.kind != "efa-only" or decides_ipv6(interface):
            continue
        for value in subnets_of(fleet, interface):
            subnet = value.referred(SUBNET)
            if subnet is not None and gives_ipv6(subnet):
                found.setdefault(subnet, []).append(interface)
    return found


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
        NetworkInterfaces:
          - NetworkCardIndex: 0
            DeviceIndex: 0
            InterfaceType: interface
            Ipv6AddressCount: 1
            Groups: [sg-1]
          - {NetworkCardIndex: 0, DeviceIndex: 1, InterfaceType: efa-only, Groups: [sg-1]}
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
      Ipv6CidrBlock: "2001:db8:0:1::/64"
"""

RULE = TemplateRule(
    id="TRN195",
    title="no subnet gives IPv6 addresses to EFA-only interfaces",
    severity=Severity.WARNING,
    why="An EFA-only interface takes no address. Whether EC2 then leaves it without one or refuses "
    "the launch is not documented; where the launch template asks, the question does not arise.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html",
    good=_HEAD + "      AssignIpv6AddressOnCreation: false\n",
    bad=_HEAD + "      AssignIpv6AddressOnCreation: true\n",
    check=_check,
)
