"""The VPC of a cluster, with its subnets in the one zone that has the instances."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import get_args

from aws_cdk import CfnTag, Fn, Stack
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from constructs_lib.arguments import flag, one_of, text, text_list, whole_number
from constructs_lib.network.dual_stack import DualStack
from trnkit.config.values import Cidr, IpAddressType, SecondaryCidr, ZoneId
from trnkit.errors import ConstructError
from trnkit.layout.addresses import (
    MOST_CONTROL_PLANE_ZONES,
    SubnetPlan,
    control_plane_block,
    plan_subnets,
)
from trnkit.layout.ipv6 import (
    COMPUTE_SUBNET,
    ENDPOINT_SUBNET,
    STORAGE_SUBNET,
    control_plane_subnet,
)
from trnkit.layout.zones import zone_number


class ClusterVpc(Construct):
    """A VPC whose nodes sit in one private subnet, in a zone named by its id.

    Creates `AWS::EC2::VPC`, three `AWS::EC2::Subnet` (public, storage, compute; all in one zone),
    an internet gateway, one NAT gateway with its address, a public and a private route table, and
    a gateway `AWS::EC2::VPCEndpoint` for S3 on the private table, so that checkpoints and image
    layers do not pay for NAT. It makes no network ACL and no flow log (see `VpcFlowLog`).

    The subnets are cut by zone *id*, because zone names differ from account to account and an EFA
    cluster has to be where the instances are. Blocks are cut generously and never by node count
    alone: a subnet whose block changes is another subnet. What is switched on later (a subnet for
    endpoints, control-plane subnets) has a place of its own and moves nothing.

    Without a NAT gateway there is no internet gateway and no public subnet either; put
    `InterfaceEndpoints` into `endpoint_subnet`, or the nodes reach S3 alone.

    With `dualstack` it also creates `AWS::EC2::VPCCidrBlock` (a block of Amazon's), the private
    subnets get a part of it each, and, where there is NAT, an `AWS::EC2::EgressOnlyInternetGateway`
    lets them call out through IPv6 and nobody in. No subnet gives IPv6 addresses by itself:
    whoever wants one asks for it, as `TrainiumLaunchTemplate` does. The S3 endpoint takes both.

    Sources:
        https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html
        https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html
        https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-s3.html
        https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html
        https://docs.aws.amazon.com/vpc/latest/userguide/egress-only-internet-gateway.html

    Example:
        >>> from aws_cdk import App, Environment, Stack
        >>> from constructs_lib.network import ClusterVpc
        >>> stack = Stack(App(), "Network", env=Environment(region="us-east-2"))
        >>> network = ClusterVpc(stack, "Vpc", availability_zone_id="use2-az3", compute_addresses=4)
        >>> network.subnet_plan.compute
        '10.0.64.0/18'
    """

    vpc: ec2.IVpc
    """The VPC, for other constructs. Its only private subnet is the compute subnet; without a NAT
    gateway CDK calls it isolated."""

    compute_subnet: ec2.ISubnet
    """Private subnet of the accelerated nodes."""

    storage_subnet: ec2.ISubnet
    """Private subnet of the file systems, in the same zone."""

    endpoint_subnet: ec2.ISubnet | None
    """Private subnet of interface endpoints, in the same zone, when asked for."""

    control_plane_subnets: tuple[ec2.ISubnet, ...]
    """Small private subnets in the control plane's zones, in the order of the zones given."""

    subnet_plan: SubnetPlan
    """The blocks, as plain values."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        availability_zone_id: str,
        vpc_cidr: str = "10.0.0.0/16",
        compute_addresses: int = 0,
        secondary_cidr: str | None = None,
        nat_gateway: bool = True,
        create_endpoint_subnet: bool = False,
        control_plane_zone_ids: Sequence[str] = (),
        ip_address_type: IpAddressType = "ipv4",
    ) -> None:
        """Create the VPC.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            availability_zone_id: Zone id such as `use2-az3`.
            vpc_cidr: IPv4 block, /16 to /22.
            compute_addresses: Addresses that the nodes will need (nodes x addresses a node); the
                compute subnet is a quarter of the block, or half when these need it.
            secondary_cidr: A second IPv4 block, /16 to /24, that the compute subnet takes whole.
                None keeps the compute subnet in `vpc_cidr`.
            nat_gateway: Whether private subnets reach the internet through a NAT gateway.
            create_endpoint_subnet: Whether to make the subnet for interface endpoints.
            control_plane_zone_ids: Two or more zone ids of the region, for a small private subnet
                in each. None are made by default.
            ip_address_type: `ipv4`, or `dualstack`, which adds IPv6 to the private subnets.

        Raises:
            ConstructError: The addresses do not fit, blocks overlap or have another shape, a zone
                name was given for an id, or there is a single control-plane zone or one twice.
        """
        super().__init__(scope, construct_id)
        text("availability_zone_id", availability_zone_id, ZoneId)
        text("vpc_cidr", vpc_cidr, Cidr)
        text("secondary_cidr", secondary_cidr, SecondaryCidr, optional=True)
        whole_number("compute_addresses", compute_addresses, least=0)
        flag("nat_gateway", nat_gateway)
        flag("create_endpoint_subnet", create_endpoint_subnet)
        _check_control_plane_zones(control_plane_zone_ids)
        one_of("ip_address_type", ip_address_type, get_args(IpAddressType))
        plan = _plan(vpc_cidr, compute_addresses, secondary_cidr)
        self.subnet_plan = plan
        self._zone_id = availability_zone_id
        self._vpc = ec2.CfnVPC(
            self,
            "Resource",
            cidr_block=vpc_cidr,
            enable_dns_hostnames=True,
            enable_dns_support=True,
            tags=[_name(self, "")],
        )
        self._dual_stack = DualStack(self, self._vpc) if ip_address_type == "dualstack" else None
        public_routes = self._route_table("Public") if nat_gateway else None
        private_routes = self._route_table("Private")
        public = self._subnet("PublicSubnet", plan.public, public_routes) if public_routes else None
        storage = self._subnet("StorageSubnet", plan.storage, private_routes, STORAGE_SUBNET)
        compute = self._subnet("ComputeSubnet", plan.compute, private_routes, COMPUTE_SUBNET)
        if secondary_cidr is not None:
            self._add_block(secondary_cidr, compute)
        if public and public_routes:
            self._route_out(public, public_routes, private_routes)
        s3_endpoint = self._s3_endpoint(private_routes)
        self.storage_subnet = self._reference("StorageSubnetReference", storage, private_routes)
        self.compute_subnet = self._reference("ComputeSubnetReference", compute, private_routes)
        self.endpoint_subnet = (
            self._private_subnet("EndpointSubnet", plan.endpoints, private_routes, ENDPOINT_SUBNET)
            if create_endpoint_subnet
            else None
        )
        self.control_plane_subnets = tuple(
            self._control_plane_subnet(vpc_cidr, zone_id, private_routes)
            for zone_id in control_plane_zone_ids
        )
        if self._dual_stack:
            self._dual_stack.open_gateway_endpoint(s3_endpoint)
        self.vpc = self._vpc_reference(vpc_cidr, compute, private_routes, public, public_routes)

    def _vpc_reference(
        self,
        vpc_cidr: str,
        compute: ec2.CfnSubnet,
        private_routes: ec2.CfnRouteTable,
        public: ec2.CfnSubnet | None,
        public_routes: ec2.CfnRouteTable | None,
    ) -> ec2.IVpc:
        compute_ids, compute_routes = [compute.ref], [private_routes.ref]
        return ec2.Vpc.from_vpc_attributes(
            self,
            "Reference",
            vpc_id=self._vpc.ref,
            vpc_cidr_block=vpc_cidr,
            availability_zones=[compute.attr_availability_zone],
            private_subnet_ids=compute_ids if public else None,
            private_subnet_route_table_ids=compute_routes if public else None,
            isolated_subnet_ids=None if public else compute_ids,
            isolated_subnet_route_table_ids=None if public else compute_routes,
            public_subnet_ids=[public.ref] if public else None,
            public_subnet_route_table_ids=[public_routes.ref] if public_routes else None,
        )

    def _add_block(self, secondary_cidr: str, compute: ec2.CfnSubnet) -> None:
        block = ec2.CfnVPCCidrBlock(
            self, "SecondaryCidr", vpc_id=self._vpc.ref, cidr_block=secondary_cidr
        )
        # Nothing in the subnet refers to the block that it lies in.
        compute.add_resource_dependency(block)

    def _private_subnet(
        self,
        construct_id: str,
        cidr: str,
        routes: ec2.CfnRouteTable,
        ipv6_place: int,
        zone_id: str | None = None,
    ) -> ec2.ISubnet:
        subnet = self._subnet(construct_id, cidr, routes, ipv6_place, zone_id)
        return self._reference(f"{construct_id}Reference", subnet, routes)

    def _control_plane_subnet(
        self, vpc_cidr: str, zone_id: str, routes: ec2.CfnRouteTable
    ) -> ec2.ISubnet:
        """Named and placed by the zone, so that another zone in the list moves nothing."""
        number = zone_number(zone_id) or 0
        cidr = control_plane_block(vpc_cidr, number)
        place = control_plane_subnet(number)
        return self._private_subnet(f"ControlPlaneSubnetAz{number}", cidr, routes, place, zone_id)

    def _subnet(
        self,
        construct_id: str,
        cidr: str,
        routes: ec2.CfnRouteTable,
        ipv6_place: int | None = None,
        zone_id: str | None = None,
    ) -> ec2.CfnSubnet:
        subnet = ec2.CfnSubnet(
            self,
            construct_id,
            vpc_id=self._vpc.ref,
            cidr_block=cidr,
            availability_zone_id=zone_id or self._zone_id,
            map_public_ip_on_launch=False,
            tags=[_name(self, f"/{construct_id}")],
        )
        ec2.CfnSubnetRouteTableAssociation(
            self, f"{construct_id}Routes", route_table_id=routes.ref, subnet_id=subnet.ref
        )
        if self._dual_stack and ipv6_place is not None:
            self._dual_stack.add_to(subnet, ipv6_place)
        return subnet

    def _route_table(self, kind: str) -> ec2.CfnRouteTable:
        return ec2.CfnRouteTable(
            self, f"{kind}RouteTable", vpc_id=self._vpc.ref, tags=[_name(self, f"/{kind}")]
        )

    def _route_out(
        self, public: ec2.CfnSubnet, public_routes: ec2.CfnRouteTable, private: ec2.CfnRouteTable
    ) -> None:
        internet = ec2.CfnInternetGateway(self, "InternetGateway", tags=[_name(self, "")])
        attachment = ec2.CfnVPCGatewayAttachment(
            self,
            "InternetGatewayAttachment",
            vpc_id=self._vpc.ref,
            internet_gateway_id=internet.ref,
        )
        out = ec2.CfnRoute(
            self,
            "PublicDefaultRoute",
            route_table_id=public_routes.ref,
            destination_cidr_block="0.0.0.0/0",
            gateway_id=internet.ref,
        )
        address = ec2.CfnEIP(self, "NatAddress", domain="vpc", tags=[_name(self, "/Nat")])
        nat = ec2.CfnNatGateway(
            self,
            "NatGateway",
            subnet_id=public.ref,
            allocation_id=address.attr_allocation_id,
            tags=[_name(self, "")],
        )
        ec2.CfnRoute(
            self,
            "PrivateDefaultRoute",
            route_table_id=private.ref,
            destination_cidr_block="0.0.0.0/0",
            nat_gateway_id=nat.ref,
        )
        # An address or a NAT gateway made before the attachment fails to create or to delete.
        out.add_resource_dependency(attachment)
        address.add_resource_dependency(attachment)
        nat.add_resource_dependency(out)
        if self._dual_stack:
            self._dual_stack.route_out(private)

    def _s3_endpoint(self, private: ec2.CfnRouteTable) -> ec2.CfnVPCEndpoint:
        return ec2.CfnVPCEndpoint(
            self,
            "S3Endpoint",
            vpc_id=self._vpc.ref,
            vpc_endpoint_type="Gateway",
            service_name=Fn.join("", ["com.amazonaws.", Stack.of(self).region, ".s3"]),
            route_table_ids=[private.ref],
        )

    def _reference(
        self, construct_id: str, subnet: ec2.CfnSubnet, routes: ec2.CfnRouteTable
    ) -> ec2.ISubnet:
        return ec2.Subnet.from_subnet_attributes(
            self,
            construct_id,
            subnet_id=subnet.ref,
            availability_zone=subnet.attr_availability_zone,
            route_table_id=routes.ref,
            ipv4_cidr_block=subnet.cidr_block,
        )


def _name(scope: Construct, suffix: str) -> CfnTag:
    return CfnTag(key="Name", value=f"{scope.node.path}{suffix}")


def _plan(vpc_cidr: str, addresses: int, secondary_cidr: str | None) -> SubnetPlan:
    plan = plan_subnets(vpc_cidr, addresses, secondary_cidr=secondary_cidr)
    if addresses > plan.compute_capacity:
        block = secondary_cidr or vpc_cidr
        key = "secondary_cidr" if secondary_cidr else "vpc_cidr"
        raise ConstructError(
            f"compute_addresses must be at most {plan.compute_capacity} in {block}, got "
            f"{addresses}; take a larger {key}"
        )
    if secondary_cidr is not None:
        blocks = ipaddress.IPv4Network(vpc_cidr), ipaddress.IPv4Network(secondary_cidr)
        if blocks[0].overlaps(blocks[1]):
            raise ConstructError(f"secondary_cidr {secondary_cidr} overlaps vpc_cidr {vpc_cidr}")
    return plan


def _check_control_plane_zones(zone_ids: Sequence[str]) -> None:
    text_list("control_plane_zone_ids", zone_ids, ZoneId)
    for zone_id in zone_ids:
        number = zone_number(zone_id)
        if number is None or not 1 <= number <= MOST_CONTROL_PLANE_ZONES:
            raise ConstructError(
                "control_plane_zone_ids must be ids of Availability Zones with a number from 1 to "
                f"{MOST_CONTROL_PLANE_ZONES}, got {zone_id!r}"
            )
    if zone_ids and len(set(zone_ids)) < max(2, len(zone_ids)):
        raise ConstructError(
            f"control_plane_zone_ids must be two or more different zones, got {list(zone_ids)}"
        )
