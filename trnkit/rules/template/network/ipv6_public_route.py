"""TRN196: the internet cannot call the IPv6 addresses of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.fleets import fleets
from trnkit.rules.reading.ipv6_addresses import SUBNET, asks_for_ipv6, gives_ipv6, subnets_of
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

_TABLE = "AWS::EC2::RouteTable"
_EVERYWHERE = ("::/0", "0:0:0:0:0:0:0:0/0")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    subnets = _node_subnets(stack_set)
    if not subnets:
        return
    tables = _tables_of(subnets, stack_set)
    for route in stack_set.resources("AWS::EC2::Route"):
        properties = properties_of(route)
        table = properties["RouteTableId"].referred(_TABLE)
        subnet = tables.get(table) if table is not None else None
        gateway = properties["GatewayId"].referred("AWS::EC2::InternetGateway")
        destination = properties["DestinationIpv6CidrBlock"]
        if subnet is None or gateway is None or destination.text() not in _EVERYWHERE:
            continue
        yield Violation(
            message=f"{route.logical_id}: sends IPv6 through {gateway.logical_id}, which lets the "
            f"internet call the nodes in {subnet.logical_id}",
            hint="use an AWS::EC2::EgressOnlyInternetGateway, as EgressOnlyInternetGatewayId",
            resource=route,
            path=("Properties", "GatewayId"),
        )


def _tables_of(subnets: set[Resource], stack_set: StackSet) -> dict[Resource, Resource]:
    """The route tables of subnets, each with a subnet that uses it."""
    found: dict[Resource, Resource] = {}
    for association in stack_set.resources("AWS::EC2::SubnetRouteTableAssociation"):
        properties = properties_of(association)
        subnet = properties["SubnetId"].referred(SUBNET)
        table = properties["RouteTableId"].referred(_TABLE)
        if subnet in subnets and table is not None:
            found.setdefault(table, subnet)
    return found


def _node_subnets(stack_set: StackSet) -> set[Resource]:
    """Subnets in which accelerated nodes certainly have IPv6 addresses."""
    found: set[Resource] = set()
    for fleet in fleets(stack_set):
        template = fleet.launch_template
        for interface in (template.interfaces or ()) if template.is_accelerated else ():
            for value in subnets_of(fleet, interface):
                subnet = value.referred(SUBNET)
                given = interface.has_address and subnet is not None and gives_ipv6(subnet)
                if subnet is not None and (given or asks_for_ipv6(interface)):
                    found.add(subnet)
    return found


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
    Properties: {VpcId: vpc-1, CidrBlock: 10.0.0.0/24, Ipv6CidrBlock: "2001:db8:0:1::/64"}
  Routes: {Type: AWS::EC2::RouteTable, Properties: {VpcId: vpc-1}}
  Association:
    Type: AWS::EC2::SubnetRouteTableAssociation
    Properties: {RouteTableId: {Ref: Routes}, SubnetId: {Ref: Compute}}
  Internet: {Type: AWS::EC2::InternetGateway}
  Outwards: {Type: AWS::EC2::EgressOnlyInternetGateway, Properties: {VpcId: vpc-1}}
  Out:
    Type: AWS::EC2::Route
    Properties:
      RouteTableId: {Ref: Routes}
      DestinationIpv6CidrBlock: "::/0"
"""

RULE = TemplateRule(
    id="TRN196",
    title="nodes reach the internet by IPv6 through an egress-only gateway",
    severity=Severity.WARNING,
    why="IPv6 addresses of a VPC are public ones: behind an internet gateway nothing but security "
    "groups keeps the internet from the nodes.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/egress-only-internet-gateway.html",
    good=_HEAD + "      EgressOnlyInternetGatewayId: {Ref: Outwards}\n",
    bad=_HEAD + "      GatewayId: {Ref: Internet}\n",
    check=_check,
)
