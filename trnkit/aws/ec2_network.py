"""EC2: subnets, their routes and the endpoints of their VPC."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DESCRIBE_SUBNETS = ReadOperation(
    service="ec2",
    name="DescribeSubnets",
    permission="ec2:DescribeSubnets",
    purpose="VPC, zone and free addresses of an existing subnet",
)
DESCRIBE_ROUTE_TABLES = ReadOperation(
    service="ec2",
    name="DescribeRouteTables",
    permission="ec2:DescribeRouteTables",
    purpose="the way out of an existing subnet",
)
DESCRIBE_VPC_ENDPOINTS = ReadOperation(
    service="ec2",
    name="DescribeVpcEndpoints",
    permission="ec2:DescribeVpcEndpoints",
    purpose="which services an existing VPC has endpoints of",
)

_PAGE_SIZE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class SubnetDescription:
    """A subnet as it is.

    Attributes:
        subnet_id: `subnet-...`.
        vpc_id: Its VPC.
        zone_id: Its zone's id.
        free_addresses: IPv4 addresses that nobody has.
        state: For example `available`.
        cidr: Its IPv4 block; None when it has none.
        ipv6_cidrs: Its IPv6 blocks that are in use.
        gives_public_ipv4: Whether interfaces get a public address that do not refuse it.
        gives_ipv6: Whether interfaces get an IPv6 address unasked.
    """

    subnet_id: str
    vpc_id: str
    zone_id: str
    free_addresses: int
    state: str
    cidr: str | None = None
    ipv6_cidrs: tuple[str, ...] = ()
    gives_public_ipv4: bool | None = None
    gives_ipv6: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteDescription:
    """One route.

    Attributes:
        destination: A block, or the id of a prefix list.
        target: The id of what it leads to, or `local`.
        is_active: False for a black hole: the target is gone.
    """

    destination: str
    target: str
    is_active: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteTable:
    """The routes of a subnet.

    Attributes:
        route_table_id: `rtb-...`.
        routes: All of them.
    """

    route_table_id: str
    routes: tuple[RouteDescription, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointDescription:
    """An endpoint of a VPC.

    Attributes:
        endpoint_id: `vpce-...`.
        service_name: For example `com.amazonaws.us-east-2.s3`.
        is_gateway: A gateway endpoint, with routes, and not one with interfaces.
        state: `available` when it works; EC2 writes it in either case.
        private_dns: Whether the service's usual name leads the VPC's hosts to it.
        route_table_ids: Tables that have a gateway endpoint's routes.
        security_group_ids: Groups of an endpoint with interfaces.
        subnet_ids: Subnets of an endpoint with interfaces.
        policy: Its policy, as JSON; None when AWS says none.
        tags: Its tags.
    """

    endpoint_id: str
    service_name: str
    is_gateway: bool
    state: str
    private_dns: bool
    route_table_ids: tuple[str, ...]
    security_group_ids: tuple[str, ...] = ()
    subnet_ids: tuple[str, ...] = ()
    policy: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict[str, str])

    def serves_by_name(self, service: str, region: str) -> bool:
        """Whether the usual name of a service leads to it.

        Args:
            service: The last part of the endpoint service's name, for example `ssm`.
            region: The service's Region.
        """
        return self.private_dns and not self.is_gateway and self._is_of(service, region)

    def serves_by_routes(self, service: str, region: str, route_table_id: str) -> bool:
        """Whether routes of a table lead a service's addresses to it.

        Args:
            service: As `serves_by_name`.
            region: As `serves_by_name`.
            route_table_id: `rtb-...`.
        """
        is_routed = self.is_gateway and route_table_id in self.route_table_ids
        return is_routed and self._is_of(service, region)

    def _is_of(self, service: str, region: str) -> bool:
        # What comes before differs between partitions.
        return self.service_name.endswith(f".{region}.{service}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedEndpoint:
    """An endpoint of any VPC, as far as quotas count it.

    Attributes:
        kind: For example `Interface`, `Gateway` or `GatewayLoadBalancer`.
        vpc_id: Its VPC.
        owner: The account that it belongs to.
        state: As EC2 says it, in small letters.
        tags: Its tags.
    """

    kind: str
    vpc_id: str
    owner: str | None
    state: str
    tags: Mapping[str, str]


class Ec2NetworkGateway(Gateway):
    """Describes existing networks of one Region."""

    service = "ec2"
    operations = (DESCRIBE_SUBNETS, DESCRIBE_ROUTE_TABLES, DESCRIBE_VPC_ENDPOINTS)

    def subnet(self, subnet_id: str) -> SubnetDescription | None:
        """Describe a subnet, of the account or shared with it.

        Args:
            subnet_id: `subnet-...`.

        Raises:
            AwsFailure: AWS gave no answer, or the account sees no such subnet.

        Returns:
            None when AWS answers with none.
        """
        told = self._ask(DESCRIBE_SUBNETS, about=subnet_id, SubnetIds=[subnet_id])["Subnets"]
        if not told:
            return None
        (subnet,) = told
        return SubnetDescription(
            subnet_id=subnet["SubnetId"],
            vpc_id=subnet["VpcId"],
            zone_id=subnet["AvailabilityZoneId"],
            free_addresses=subnet["AvailableIpAddressCount"],
            state=subnet.get("State", "available"),
            cidr=subnet.get("CidrBlock"),
            ipv6_cidrs=tuple(
                block["Ipv6CidrBlock"]
                for block in subnet.get("Ipv6CidrBlockAssociationSet", ())
                if block.get("Ipv6CidrBlockState", {}).get("State") == "associated"
            ),
            gives_public_ipv4=subnet.get("MapPublicIpOnLaunch"),
            gives_ipv6=subnet.get("AssignIpv6AddressOnCreation"),
        )

    def route_table(self, subnet_id: str, vpc_id: str) -> RouteTable | None:
        """The route table of a subnet: its own, else the main one of its VPC.

        Args:
            subnet_id: The subnet.
            vpc_id: Its VPC.

        Raises:
            AwsFailure: AWS gave no answer.

        Returns:
            None when the account sees neither, as in a subnet that another account shares.
        """
        own = self._tables({"association.subnet-id": subnet_id})
        tables = own or self._tables({"vpc-id": vpc_id, "association.main": "true"})
        if not tables:
            return None
        return RouteTable(
            route_table_id=tables[0]["RouteTableId"],
            routes=tuple(map(_route, tables[0].get("Routes", ()))),
        )

    def endpoints(self, vpc_id: str) -> tuple[EndpointDescription, ...]:
        """The endpoints of a VPC that the account sees.

        Args:
            vpc_id: The VPC.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask_all(
            DESCRIBE_VPC_ENDPOINTS,
            "VpcEndpoints",
            about=vpc_id,
            Filters=[{"Name": "vpc-id", "Values": [vpc_id]}],
        )
        return tuple(
            EndpointDescription(
                endpoint_id=endpoint["VpcEndpointId"],
                service_name=endpoint["ServiceName"],
                is_gateway=endpoint.get("VpcEndpointType") == "Gateway",
                state=endpoint.get("State", "").lower(),
                private_dns=_is_private_name(endpoint),
                route_table_ids=tuple(endpoint.get("RouteTableIds", ())),
                security_group_ids=tuple(
                    group["GroupId"] for group in endpoint.get("Groups", ()) if "GroupId" in group
                ),
                subnet_ids=tuple(endpoint.get("SubnetIds", ())),
                policy=endpoint.get("PolicyDocument"),
                tags=_tags(endpoint),
            )
            for endpoint in told
        )

    def counted_endpoints(self) -> tuple[CountedEndpoint, ...]:
        """Every endpoint of the Region that the account sees.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask_all(
            DESCRIBE_VPC_ENDPOINTS, "VpcEndpoints", PaginationConfig={"PageSize": _PAGE_SIZE}
        )
        return tuple(
            CountedEndpoint(
                kind=endpoint.get("VpcEndpointType", ""),
                vpc_id=endpoint.get("VpcId", ""),
                owner=endpoint.get("OwnerId"),
                state=endpoint.get("State", "").lower(),
                tags=_tags(endpoint),
            )
            for endpoint in told
        )

    def subnet_ids(self, zone_id: str) -> tuple[str, ...]:
        """The subnets of a zone that the account sees.

        Args:
            zone_id: The zone's id.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask_all(
            DESCRIBE_SUBNETS,
            "Subnets",
            about=zone_id,
            Filters=[{"Name": "availability-zone-id", "Values": [zone_id]}],
            PaginationConfig={"PageSize": _PAGE_SIZE},
        )
        return tuple(subnet["SubnetId"] for subnet in told)

    def _tables(self, wanted: dict[str, str]) -> Sequence[dict[str, Any]]:
        filters = [{"Name": name, "Values": [value]} for name, value in wanted.items()]
        return self._ask_all(DESCRIBE_ROUTE_TABLES, "RouteTables", Filters=filters)


def _tags(told: dict[str, Any]) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in told.get("Tags", ())}


def _is_private_name(endpoint: dict[str, Any]) -> bool:
    """Of S3's, the name may lead there whoever asks from outside the VPC, and nobody else."""
    for_others = endpoint.get("DnsOptions", {}).get("PrivateDnsOnlyForInboundResolverEndpoint")
    return bool(endpoint.get("PrivateDnsEnabled")) and not for_others


def _route(route: dict[str, Any]) -> RouteDescription:
    destinations = ("DestinationCidrBlock", "DestinationIpv6CidrBlock", "DestinationPrefixListId")
    targets = (
        "GatewayId",
        "NatGatewayId",
        "TransitGatewayId",
        "VpcPeeringConnectionId",
        "NetworkInterfaceId",
        "InstanceId",
        "EgressOnlyInternetGatewayId",
        "LocalGatewayId",
        "CarrierGatewayId",
        "CoreNetworkArn",
    )
    return RouteDescription(
        destination=next((route[key] for key in destinations if route.get(key)), ""),
        target=next((route[key] for key in targets if route.get(key)), ""),
        is_active=route.get("State", "active") == "active",
    )
