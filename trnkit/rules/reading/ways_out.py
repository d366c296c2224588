"""Whether anything leads out of a VPC besides its endpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.reading.vpc_endpoints import VPC

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Resource, StackSet

_ROUTE_TABLE = "AWS::EC2::RouteTable"
_WAYS_OUT = (
    "AWS::EC2::VPCGatewayAttachment",
    "AWS::EC2::TransitGatewayAttachment",
    "AWS::EC2::TransitGatewayVpcAttachment",
    "AWS::EC2::VPCPeeringConnection",
    "AWS::EC2::NatGateway",
    "AWS::Route53Profiles::ProfileAssociation",
)


def has_way_out(vpc: Resource, stack_set: StackSet) -> bool:
    """Whether any gateway or route leads out of a VPC, or may do so."""
    if any(True for _ in stack_set.resources(*_WAYS_OUT)):
        return True
    for route in stack_set.resources("AWS::EC2::Route"):
        table = properties_of(route)["RouteTableId"].referred(_ROUTE_TABLE)
        if table is None or properties_of(table)["VpcId"].referred(VPC) in (None, vpc):
            return True
    return False
