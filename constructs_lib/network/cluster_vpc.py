"""The VPC of a cluster, with its subnets in the one zone that has the instances."""

from __future__ import annotations

from aws_cdk import CfnTag, Fn, Stack
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from trnkit.errors import ConstructError
from trnkit.layout.addresses import SubnetPlan, plan_subnets


class ClusterVpc(Construct):
    """A VPC whose nodes sit in one private subnet, in a zone named by its id.

    Creates `AWS::EC2::VPC`, three `AWS::EC2::Subnet` (public, storage, compute; all in one zone),
    an internet gateway, one NAT gateway with its address, a public and a private route table, and
    a gateway `AWS::EC2::VPCEndpoint` for S3 on the private table, so that checkpoints and image
    layers do not pay for NAT. It makes no network ACL and no flow log.

    The subnets are cut by zone *id*, because zone names differ from account to account and an EFA
    cluster has to be where the instances are. Blocks are cut generously and never by node count
    alone: a subnet whose block changes is another subnet.

    Sources:
        https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html
        https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-s3.html

    Example:
        >>> from aws_cdk import App, Environment, Stack
        >>> from constructs_lib.network import ClusterVpc
        >>> stack = Stack(App(), "Network", env=Environment(region="us-east-2"))
        >>> network = ClusterVpc(stack, "Vpc", availability_zone_id="use2-az3", compute_addresses=4)
        >>> network.subnet_plan.compute
        '10.0.64.0/18'
    """

    vpc: ec2.IVpc
    """The VPC, for other constructs. Its only private subnets are the two below."""

    compute_subnet: ec2.ISubnet
    """Private subnet of the accelerated nodes."""

    storage_subnet: ec2.ISubnet
    """Private subnet of the file systems, in the same zone."""

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
    ) -> None:
        """Create the VPC.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            availability_zone_id: Zone id such as `use2-az3`.
            vpc_cidr: IPv4 block, /16 to /22.
            compute_addresses: Addresses that the nodes will need (nodes x addresses a node); the
                compute subnet is a quarter of the block, or half when these need it.

        Raises:
            ConstructError: The addresses do not fit, or a zone name was given for an id.
        """
        super().__init__(scope, construct_id)
        _check_zone(availability_zone_id)
        plan = plan_subnets(vpc_cidr, compute_addresses)
        if compute_addresses > plan.compute_capacity:
            raise ConstructError(
                f"compute_addresses must be at most {plan.compute_capacity} in {vpc_cidr}, got "
                f"{compute_addresses}; take a larger vpc_cidr"
            )
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
        public_routes, private_routes = self._route_table("Public"), self._route_table("Private")
        public = self._subnet("PublicSubnet", plan.public, public_routes)
        storage = self._subnet("StorageSubnet", plan.storage, private_routes)
        compute = self._subnet("ComputeSubnet", plan.compute, private_routes)
        self._route_through_nat(public, public_routes, private_routes)
        self._s3_endpoint(private_routes)
        self.storage_subnet = self._reference("StorageSubnetReference", storage, private_routes)
        self.compute_subnet = self._reference("ComputeSubnetReference", compute, private_routes)
        self.vpc = ec2.Vpc.from_vpc_attributes(
            self,
            "Reference",
            vpc_id=self._vpc.ref,
            vpc_cidr_block=vpc_cidr,
            availability_zones=[compute.attr_availability_zone],
            private_subnet_ids=[compute.ref],
            private_subnet_route_table_ids=[private_routes.ref],
            public_subnet_ids=[public.ref],
            public_subnet_route_table_ids=[public_routes.ref],
        )

    def _subnet(self, construct_id: str, cidr: str, routes: ec2.CfnRouteTable) -> ec2.CfnSubnet:
        subnet = ec2.CfnSubnet(
            self,
            construct_id,
            vpc_id=self._vpc.ref,
            cidr_block=cidr,
            availability_zone_id=self._zone_id,
            map_public_ip_on_launch=False,
            tags=[_name(self, f"/{construct_id}")],
        )
        ec2.CfnSubnetRouteTableAssociation(
            self, f"{construct_id}Routes", route_table_id=routes.ref, subnet_id=subnet.ref
        )
        return subnet

    def _route_table(self, kind: str) -> ec2.CfnRouteTable:
        return ec2.CfnRouteTable(
            self, f"{kind}RouteTable", vpc_id=self._vpc.ref, tags=[_name(self, f"/{kind}")]
        )

    def _route_through_nat(
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

    def _s3_endpoint(self, private: ec2.CfnRouteTable) -> None:
        ec2.CfnVPCEndpoint(
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


def _check_zone(zone_id: str) -> None:
    if "-az" not in zone_id:
        raise ConstructError(
            f"availability_zone_id must be a zone id such as use2-az3, got {zone_id!r}; zone names "
            "differ from account to account"
        )
