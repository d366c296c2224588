"""Interface endpoints, with a security group that lets their clients in."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence

from aws_cdk import CfnTag, Fn, Stack
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from constructs_lib.arguments import entries, is_unresolved, same_region, text_list
from constructs_lib.network.closed_security_group import closed_security_group
from trnkit.errors import ConstructError

HTTPS = 443
_DUALSTACK = "dualstack"
_SERVICE = re.compile(r"[a-z][a-z0-9-]*(\.[a-z0-9-]+)*")


class InterfaceEndpoints(Construct):
    """Interface endpoints of AWS's services, in one subnet, under the services' usual names.

    Creates one `AWS::EC2::VPCEndpoint` for each service, an `AWS::EC2::SecurityGroup` for all of
    them, and an `AWS::EC2::SecurityGroupIngress` for each client group. Private DNS is on, so that
    programs need no setting; it wants the VPC's DNS support and DNS host names. Each endpoint takes
    one address and is billed by the hour. S3 has none here: its gateway endpoint is free. Services
    named as dual-stack get an IPv6 address too, and names that answer with both.

    Sources:
        https://docs.aws.amazon.com/vpc/latest/privatelink/create-interface-endpoint.html
        https://docs.aws.amazon.com/vpc/latest/privatelink/aws-services-privatelink-support.html

    Example:
        >>> from aws_cdk import App, Environment, Stack
        >>> from constructs_lib.network import ClusterVpc, EfaSecurityGroup, InterfaceEndpoints
        >>> stack = Stack(App(), "Network", env=Environment(region="us-east-2"))
        >>> network = ClusterVpc(stack, "Vpc", availability_zone_id="use2-az3", nat_gateway=False,
        ...     create_endpoint_subnet=True)
        >>> nodes = EfaSecurityGroup(stack, "Efa", vpc=network.vpc).security_group
        >>> endpoints = InterfaceEndpoints(stack, "InterfaceEndpoints", vpc=network.vpc,
        ...     subnet=network.endpoint_subnet, services=["ssm", "ssmmessages"], clients=[nodes])
        >>> sorted(endpoints.endpoint_ids)
        ['ssm', 'ssmmessages']
    """

    security_group: ec2.ISecurityGroup
    """The group of all endpoints, for further clients."""

    endpoint_ids: dict[str, str]
    """Service -> id of its endpoint (`vpce-...`)."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        vpc: ec2.IVpc,
        subnet: ec2.ISubnet,
        services: Sequence[str],
        clients: Sequence[ec2.ISecurityGroup],
        client_cidrs: Sequence[str] = (),
        dualstack_services: Sequence[str] = (),
    ) -> None:
        """Create the endpoints.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            vpc: Where the security group belongs.
            subnet: Where the endpoints' interfaces are; take the zone of their clients.
            services: What follows `com.amazonaws.` and the region, for example `ecr.api`.
            clients: Groups whose members may call the services.
            client_cidrs: IPv4 blocks from which the services may be called too. None by default.
            dualstack_services: Those of `services` whose endpoints also have an IPv6 address; the
                subnet must have an IPv6 block, and the service must accept IPv6, which EC2 tells
                (`describe-vpc-endpoint-services`). None by default.

        Raises:
            ConstructError: No service, one twice, one that is no such name, a dual-stack one that
                is not among them, or nobody to let in.
        """
        super().__init__(scope, construct_id)
        _check(services, clients, client_cidrs)
        _check_dualstack(services, dualstack_services)
        same_region(self, vpc=vpc, subnet=subnet)
        for client in clients:
            same_region(self, clients=client)
        vpc_id, subnet_id = vpc.vpc_id, subnet.subnet_id
        group = closed_security_group(
            self,
            group_description="Interface endpoints: HTTPS from the nodes and the VPC",
            vpc_id=vpc_id,
            ingress=[
                ec2.CfnSecurityGroup.IngressProperty(
                    ip_protocol="tcp",
                    cidr_ip=cidr,
                    from_port=HTTPS,
                    to_port=HTTPS,
                    description="HTTPS from the VPC",
                )
                for cidr in client_cidrs
            ],
            egress_description="Nothing",
        )
        self._admit(clients, group.attr_group_id)
        self.endpoint_ids = {
            service: self._endpoint(
                service,
                vpc_id,
                subnet_id,
                group.attr_group_id,
                dualstack=service in dualstack_services,
            )
            for service in services
        }
        self.security_group = ec2.SecurityGroup.from_security_group_id(
            self, "Reference", group.attr_group_id, allow_all_outbound=False
        )

    def _admit(self, clients: Sequence[ec2.ISecurityGroup], group_id: str) -> None:
        for number, client in enumerate(clients):
            ec2.CfnSecurityGroupIngress(
                self,
                f"FromClient{number}",
                group_id=group_id,
                source_security_group_id=client.security_group_id,
                ip_protocol="tcp",
                from_port=HTTPS,
                to_port=HTTPS,
                description="HTTPS from the nodes",
            )

    def _endpoint(
        self, service: str, vpc_id: str, subnet_id: str, group_id: str, *, dualstack: bool
    ) -> str:
        options = ec2.CfnVPCEndpoint.DnsOptionsSpecificationProperty(dns_record_ip_type=_DUALSTACK)
        return ec2.CfnVPCEndpoint(
            self,
            _construct_id(service),
            vpc_id=vpc_id,
            vpc_endpoint_type="Interface",
            service_name=Fn.join("", ["com.amazonaws.", Stack.of(self).region, f".{service}"]),
            subnet_ids=[subnet_id],
            security_group_ids=[group_id],
            private_dns_enabled=True,
            ip_address_type=_DUALSTACK if dualstack else None,
            dns_options=options if dualstack else None,
            tags=[CfnTag(key="Name", value=f"{self.node.path}/{service}")],
        ).ref


def _construct_id(service: str) -> str:
    """`ecr.api` as `EcrApi`."""
    return "".join(part.capitalize() for part in re.split(r"[.-]", service))


def _check(
    services: Sequence[str], clients: Sequence[ec2.ISecurityGroup], client_cidrs: Sequence[str]
) -> None:
    text_list("services", services)
    entries("clients", clients)
    text_list("client_cidrs", client_cidrs)
    for cidr in client_cidrs:
        _check_block(cidr)
    wrong = next((service for service in services if not _SERVICE.fullmatch(service)), None)
    if wrong is not None:
        raise ConstructError(
            f"services must be named by the last part of their endpoint's name, like ecr.api, got "
            f"{wrong!r}"
        )
    if not services or len({_construct_id(service) for service in services}) < len(services):
        raise ConstructError(f"services must be one or more, each once, got {list(services)}")
    if not clients and not client_cidrs:
        raise ConstructError("clients or client_cidrs must let somebody in, got none")


def _check_dualstack(services: Sequence[str], dualstack_services: Sequence[str]) -> None:
    text_list("dualstack_services", dualstack_services)
    others = [service for service in dualstack_services if service not in services]
    if others:
        raise ConstructError(f"dualstack_services must be among services, got {others}")


def _check_block(cidr: str) -> None:
    try:
        if not is_unresolved(cidr):
            ipaddress.IPv4Network(cidr)
    except ValueError:
        raise ConstructError(
            f"each of client_cidrs must be an IPv4 block like 10.0.0.0/16, got {cidr!r}"
        ) from None
