"""IPv6 for a VPC of one's own, beside its IPv4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import CfnTag, Fn
from aws_cdk import aws_ec2 as ec2

from trnkit.layout.ipv6 import SUBNET_BITS, SUBNETS_OF_A_VPC

if TYPE_CHECKING:
    from constructs import Construct


class DualStack:
    """IPv6 in a VPC: a block of Amazon's, parts of it for subnets, and a way out."""

    def __init__(self, scope: Construct, vpc: ec2.CfnVPC) -> None:
        """Create `AWS::EC2::VPCCidrBlock` under the id `Ipv6Cidr`.

        Args:
            scope: The construct whose VPC it is, in whose name the resources are tagged.
            vpc: The VPC.
        """
        self._scope, self._vpc_id = scope, vpc.ref
        self._subnets: list[ec2.CfnSubnet] = []
        self._block = ec2.CfnVPCCidrBlock(
            scope, "Ipv6Cidr", vpc_id=vpc.ref, amazon_provided_ipv6_cidr_block=True
        )
        only = Fn.select(0, vpc.attr_ipv6_cidr_blocks)
        self._parts = Fn.cidr(only, SUBNETS_OF_A_VPC, str(SUBNET_BITS))

    def add_to(self, subnet: ec2.CfnSubnet, place: int) -> None:
        """Give a subnet its part of the block."""
        subnet.ipv6_cidr_block = Fn.select(place, self._parts)
        subnet.assign_ipv6_address_on_creation = False
        # Before that the VPC has no block to take a part of.
        subnet.add_resource_dependency(self._block)
        self._subnets.append(subnet)

    def route_out(self, routes: ec2.CfnRouteTable) -> None:
        """Let what uses a route table call out, and nobody in."""
        gateway = ec2.CfnEgressOnlyInternetGateway(
            self._scope,
            "EgressOnlyGateway",
            vpc_id=self._vpc_id,
            tags=[CfnTag(key="Name", value=self._scope.node.path)],
        )
        ec2.CfnRoute(
            self._scope,
            "PrivateIpv6DefaultRoute",
            route_table_id=routes.ref,
            destination_ipv6_cidr_block="::/0",
            egress_only_internet_gateway_id=gateway.attr_id,
        )

    def open_gateway_endpoint(self, endpoint: ec2.CfnVPCEndpoint) -> None:
        """Let a gateway endpoint take both, once every subnet that it serves has both."""
        endpoint.ip_address_type = "dualstack"
        for subnet in self._subnets:
            endpoint.add_resource_dependency(subnet)
