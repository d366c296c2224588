"""What EC2 refuses of networks, and moto takes.

The words are EC2's where they were seen, its error codes always.
Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
"""

from __future__ import annotations

import contextlib
import functools
import ipaddress
from collections.abc import Callable
from typing import Any

from trnkit.emulation.services.ec2.refusing import invalid, refuse
from trnkit.emulation.services.extending import first_time

_SUBNET_PREFIXES = range(16, 29)

# https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html
_GATEWAY_SERVICES = frozenset({"dynamodb", "s3", "s3express"})

_PORTS = range(65536)

Check = Callable[..., None]


def install() -> None:
    """Let moto's EC2 refuse, too; once, before its first request."""
    from moto.ec2.models import EC2Backend

    backend: Any = EC2Backend
    if not first_time(backend):
        return
    for operation, check in _CHECKS.items():
        setattr(backend, operation, _checked(getattr(backend, operation), check))
    backend.delete_nat_gateway = _with_its_interface(backend.delete_nat_gateway)


def _checked(operation: Callable[..., Any], check: Check) -> Callable[..., Any]:
    @functools.wraps(operation)
    def method(self: Any, *given: Any, **named: Any) -> Any:
        check(self, *given, **named)
        return operation(self, *given, **named)

    return method


def _with_its_interface(operation: Callable[..., Any]) -> Callable[..., Any]:
    """A NAT gateway's interface goes with it.

    Source: https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-working-with.html
    """

    @functools.wraps(operation)
    def delete(self: Any, nat_gateway_id: str) -> Any:
        from moto.ec2.exceptions import EC2ClientError

        gateway = operation(self, nat_gateway_id)
        with contextlib.suppress(EC2ClientError):
            self.delete_network_interface(gateway._eni.id)
        return gateway

    return delete


def _subnet(
    self: Any,
    vpc_id: str,
    cidr_block: str | None,
    ipv6_cidr_block: str | None = None,
    availability_zone: str | None = None,
    availability_zone_id: str | None = None,
    **_: Any,
) -> None:
    """A subnet of a size between /16 and /28, in a zone of the region.

    Source: https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html
    """
    zones = self.describe_availability_zones()
    if availability_zone_id and availability_zone_id not in {zone.zone_id for zone in zones}:
        known = ", ".join(sorted(zone.zone_id for zone in zones))
        told = f"Subnets can currently only be created in the following availability zones: {known}"
        invalid(availability_zone_id, "availabilityZoneId", told)
    if not cidr_block:
        return
    with contextlib.suppress(ValueError):
        block = ipaddress.ip_network(cidr_block, strict=False)
        if block.prefixlen not in _SUBNET_PREFIXES:
            refuse("InvalidSubnet.Range", f"The CIDR '{cidr_block}' is invalid.")


def _association(
    self: Any, route_table_id: str, gateway_id: str | None = None, subnet_id: str | None = None
) -> None:
    """A subnet has one route table.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssociateRouteTable.html
    """
    if subnet_id is None:
        return
    for table in self.describe_route_tables(filters={"association.subnet-id": [subnet_id]}):
        if subnet_id in table._associations.values() and table.id != route_table_id:
            refuse(
                "Resource.AlreadyAssociated",
                f"the specified association for route table {route_table_id} conflicts with an "
                "existing association",
            )


def _route(self: Any, *_: Any, nat_gateway_id: str | None = None, **__: Any) -> None:
    """A route through a NAT gateway that exists.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateRoute.html
    """
    if nat_gateway_id and nat_gateway_id not in self.nat_gateways:
        refuse(
            "InvalidNatGatewayID.NotFound",
            f"The natGateway ID '{nat_gateway_id}' does not exist",
        )


def _other_route(self: Any, *given: Any, **named: Any) -> None:
    nat_gateway_id = given[4] if len(given) > 4 else named.get("nat_gateway_id")
    _route(self, nat_gateway_id=nat_gateway_id)


def _endpoint(
    self: Any,
    vpc_id: str,
    service_name: str,
    endpoint_type: str | None = None,
    *_: Any,
    private_dns_enabled: bool | None = None,
    **__: Any,
) -> None:
    """An endpoint of a service of the region; private names need the VPC's DNS.

    Source: https://docs.aws.amazon.com/vpc/latest/privatelink/create-interface-endpoint.html
    """
    own = f"com.amazonaws.{self.region_name}."
    is_gateway = (endpoint_type or "Gateway").lower() == "gateway"
    of_aws = service_name.startswith("com.amazonaws.") and ".vpce." not in service_name
    unknown = of_aws and not service_name.startswith(own)
    if unknown or (is_gateway and service_name.removeprefix(own) not in _GATEWAY_SERVICES):
        refuse("InvalidServiceName", f"The Vpc Endpoint Service '{service_name}' does not exist")
    vpc = self.get_vpc(vpc_id)
    dns = [vpc.enable_dns_support, vpc.enable_dns_hostnames]
    if (
        not is_gateway
        and private_dns_enabled
        and not all(str(one).lower() == "true" for one in dns)
    ):
        refuse(
            "InvalidParameter",
            "Enabling private DNS requires both enableDnsSupport and enableDnsHostnames VPC "
            f"attributes set to true for {vpc_id}",
        )


def _gateway(self: Any, internet_gateway_id: str, vpc_id: str) -> None:
    """A VPC has one internet gateway.

    Source: https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html
    """
    for other in self.internet_gateways.values():
        if other.vpc and other.vpc.id == vpc_id and other.id != internet_gateway_id:
            refuse(
                "InvalidParameterValue",
                f"Network {vpc_id} already has an internet gateway attached",
            )


def _rule(
    self: Any,
    group_name_or_id: str,
    ip_protocol: str,
    from_port: Any,
    to_port: Any,
    *_: Any,
    source_groups: list[dict[str, str]] | None = None,
    **__: Any,
) -> None:
    """Ports in their order, and groups of the same network.

    Sources: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpPermission.html,
    https://docs.aws.amazon.com/vpc/latest/peering/vpc-peering-security-groups.html
    """
    group = self.get_security_group_by_name_or_id(group_name_or_id)
    for named in source_groups or ():
        peer = self.get_security_group_from_id(named.get("GroupId"))
        if group is not None and peer is not None and group.vpc_id != peer.vpc_id:
            refuse(
                "InvalidGroup.NotFound",
                "You have specified two resources that belong to different networks.",
            )
    protocol = {"6": "tcp", "17": "udp"}.get(str(ip_protocol), str(ip_protocol).lower())
    if protocol not in {"tcp", "udp"} or from_port is None or to_port is None:
        return
    low, high = int(from_port), int(to_port)
    if low not in _PORTS or high not in _PORTS or low > high:
        refuse("InvalidParameterValue", f"Invalid {protocol.upper()} port range ({low}-{high})")


_CHECKS: dict[str, Check] = {
    "associate_route_table": _association,
    "attach_internet_gateway": _gateway,
    "authorize_security_group_egress": _rule,
    "authorize_security_group_ingress": _rule,
    "create_route": _route,
    "create_subnet": _subnet,
    "create_vpc_endpoint": _endpoint,
    "replace_route": _other_route,
}
