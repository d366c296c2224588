"""TRN910: nodes in an existing VPC reach S3 and the services they report to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.ec2_network import (
    DESCRIBE_ROUTE_TABLES,
    DESCRIBE_SUBNETS,
    DESCRIBE_VPC_ENDPOINTS,
)
from trnkit.layout.endpoints import interface_endpoints_of
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.existing_network import (
    seen_endpoints,
    seen_route_table,
    seen_subnet,
)
from trnkit.operations.preflight.node_services import node_services
from trnkit.operations.preflight.result import fail, ok, unknown, warning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trnkit.aws.ec2_network import EndpointDescription, RouteTable
    from trnkit.config import ExistingNetworkConfig
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult

_PATH = ("network", "existing", "compute_subnet_id")
_EVERYWHERE = "0.0.0.0/0"
_ELSEWHERE = ("tgw-", "pcx-", "vgw-", "arn:")


def _run(account: AccountView) -> Iterator[CheckResult]:
    existing = account.cluster.network.existing
    if existing is None:
        return
    subnet_id = existing.compute_subnet_id
    found = seen_subnet(account, subnet_id)
    if found is None:
        yield unknown(
            f"the routes of {subnet_id} cannot be judged: the account does not see it",
            remedy="see what check subnets says",
            path=_PATH,
        )
        return
    table = seen_route_table(account, found)
    if table is None:
        yield unknown(
            f"the account sees no route table of {subnet_id}, which another account may own",
            remedy="ask the subnet's owner for its routes",
            path=_PATH,
        )
        return
    defaults = [route for route in table.routes if route.destination == _EVERYWHERE]
    if defaults and not defaults[0].is_active:
        yield fail(
            f"the default route of {table.route_table_id} is a black hole: {defaults[0].target} "
            "is gone",
            remedy="lead the route to a NAT gateway that is there",
            command=_command(account, table),
            path=_PATH,
        )
        return
    if defaults and defaults[0].target.startswith("igw-"):
        yield fail(
            f"the default route of {table.route_table_id} leads to {defaults[0].target}, and nodes "
            "have no public address",
            remedy="name a private subnet, whose default route leads to a NAT gateway",
            command=_command(account, table),
            path=_PATH,
        )
        return
    if defaults:
        yield ok(f"{subnet_id} has a way out through {defaults[0].target}", path=_PATH)
        return
    yield from _without_way_out(account, existing, table, found.vpc_id)


def _without_way_out(
    account: AccountView, existing: ExistingNetworkConfig, table: RouteTable, vpc_id: str
) -> Iterator[CheckResult]:
    region, cluster = account.cluster.region, account.cluster
    endpoints = seen_endpoints(account, vpc_id)
    made_here = interface_endpoints_of(cluster)
    problems: list[CheckResult] = []
    # Endpoints of the VPC's owner are not listed, nor those of networks that a route leads to.
    blind = existing.shared or any(
        route.is_active and route.target.startswith(_ELSEWHERE) for route in table.routes
    )
    makes_s3 = (
        existing.create_s3_gateway_endpoint and table.route_table_id in existing.route_table_ids
    )
    if not makes_s3 and not _reaches_s3(endpoints, table, region):
        problems.append(
            _missing(
                f"{table.route_table_id} has neither a default route nor S3: nodes cannot fetch "
                "what they boot with",
                blind=blind,
                remedy="set `create_s3_gateway_endpoint` and name the table in `route_table_ids`, "
                "or add a gateway endpoint",
                command=f"aws ec2 create-vpc-endpoint --region {region} --vpc-id {vpc_id} "
                f"--service-name com.amazonaws.{region}.s3 --route-table-ids "
                f"{table.route_table_id}",
            )
        )
    for service, needed in node_services(cluster).items():
        if service in made_here or _has(endpoints, service, region):
            continue
        problems.append(
            _missing(
                f"{vpc_id} has no default route for the nodes and no endpoint of {service} with "
                f"private DNS: {needed.lacks}",
                blind=blind,
                is_needed=needed.is_needed,
                remedy=f"add {service} to network.interface_endpoints",
                command=f"aws ec2 describe-vpc-endpoints --region {region} --filters "
                f"Name=vpc-id,Values={vpc_id}",
            )
        )
    yield from problems
    if not problems:
        yield ok(f"{vpc_id} has endpoints of all that nodes need to boot", path=_PATH)


def _missing(
    message: str, *, blind: bool, remedy: str, command: str, is_needed: bool = True
) -> CheckResult:
    """What is not seen is missing, unless it may be where the account sees nothing."""
    if blind:
        return unknown(
            f"{message}, unless one that this account does not see serves them",
            remedy=f"make sure of it, or {remedy}",
            command=command,
            path=_PATH,
        )
    say = fail if is_needed else warning
    return say(message, remedy=remedy, command=command, path=_PATH)


def _reaches_s3(endpoints: Sequence[EndpointDescription], table: RouteTable, region: str) -> bool:
    return any(
        endpoint.service_name.endswith(f".{region}.s3")
        and (endpoint.private_dns or table.route_table_id in endpoint.route_table_ids)
        for endpoint in endpoints
    )


def _has(endpoints: Sequence[EndpointDescription], service: str, region: str) -> bool:
    return any(
        endpoint.service_name.endswith(f".{region}.{service}")
        and endpoint.private_dns
        and not endpoint.is_gateway
        for endpoint in endpoints
    )


def _command(account: AccountView, table: RouteTable) -> str:
    return (
        f"aws ec2 describe-route-tables --region {account.cluster.region} --route-table-ids "
        f"{table.route_table_id}"
    )


CHECK = PreflightCheck(
    id="TRN910",
    name="ways-out",
    title="Nodes in an existing VPC reach S3 and the services that they report to",
    why="Nodes fetch their boot scripts from S3 and complete a lifecycle hook of Auto Scaling. "
    "Without a way there Auto Scaling replaces them again and again, an hour into the deployment. "
    "Resolver rules are not looked at.",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html",
    needs=(DESCRIBE_SUBNETS, DESCRIBE_ROUTE_TABLES, DESCRIBE_VPC_ENDPOINTS),
    run=_run,
)
