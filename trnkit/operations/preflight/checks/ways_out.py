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
from trnkit.operations.preflight.result import Status, fail, ok, unknown, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.aws.ec2_network import RouteDescription, RouteTable
    from trnkit.config import ExistingNetworkConfig
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult

_PATH = ("network", "existing", "compute_subnet_id")
_EVERYWHERE = "0.0.0.0/0"
_S3 = "s3"


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
    useless = _useless(account, table, defaults[0]) if defaults else None
    if defaults and useless is None:
        yield ok(f"{subnet_id} has a way out through {defaults[0].target}", path=_PATH)
        return
    # Endpoints may be all that nodes need.
    results = list(_without_way_out(account, existing, table, found.vpc_id))
    is_lost = useless is not None and any(result.status is Status.FAIL for result in results)
    yield from [useless] if useless is not None and is_lost else results


def _useless(
    account: AccountView, table: RouteTable, default: RouteDescription
) -> CheckResult | None:
    """What is wrong with a default route."""
    if not default.is_active:
        told = f"is a black hole: {default.target} is gone"
        remedy = "lead the route to a NAT gateway that is there"
    elif default.target.startswith("igw-"):
        told = f"leads to {default.target}, and nodes have no public address"
        remedy = "name a private subnet, whose default route leads to a NAT gateway"
    else:
        return None
    return fail(
        f"the default route of {table.route_table_id} {told}",
        remedy=remedy,
        look=_shown(account, table),
        path=_PATH,
    )


def _leads_elsewhere(route: RouteDescription) -> bool:
    """Whether a route leads nodes, which have no public address, out of what the account sees."""
    # Gateway endpoints have routes too, and are listed.
    is_endpoint_s = route.target.startswith("vpce-") and route.destination.startswith("pl-")
    is_useless = route.target.startswith(("local", "igw-")) or ":" in route.destination
    return route.is_active and not is_endpoint_s and not is_useless


def _without_way_out(
    account: AccountView, existing: ExistingNetworkConfig, table: RouteTable, vpc_id: str
) -> Iterator[CheckResult]:
    region, cluster = account.cluster.region, account.cluster
    endpoints = seen_endpoints(account, vpc_id)
    made_here = interface_endpoints_of(cluster)
    problems: list[CheckResult] = []
    has_default = any(route.destination == _EVERYWHERE for route in table.routes)
    # Endpoints of the VPC's owner are not listed, nor is what other routes lead to: networks with
    # endpoints, or a part of the public addresses.
    blind = existing.shared or any(map(_leads_elsewhere, table.routes))
    makes_s3 = (
        existing.create_s3_gateway_endpoint and table.route_table_id in existing.route_table_ids
    )
    reaches_s3 = any(
        endpoint.serves_by_name(_S3, region)
        or endpoint.serves_by_routes(_S3, region, table.route_table_id)
        for endpoint in endpoints
    )
    if not makes_s3 and not reaches_s3:
        problems.append(
            _missing(
                f"{table.route_table_id} has neither a {'usable ' if has_default else ''}default "
                "route nor S3: nodes cannot fetch what they boot with",
                blind=blind,
                remedy="set `create_s3_gateway_endpoint` and name the table in `route_table_ids`, "
                "or add a gateway endpoint",
                command=f"aws ec2 create-vpc-endpoint --region {region} --vpc-id {vpc_id} "
                f"--service-name com.amazonaws.{region}.s3 --route-table-ids "
                f"{table.route_table_id}",
            )
        )
    for service, needed in node_services(cluster).items():
        if service in made_here or any(e.serves_by_name(service, region) for e in endpoints):
            continue
        problems.append(
            _missing(
                f"{vpc_id} has no default route for the nodes and no endpoint of {service} with "
                f"private DNS: {needed.lacks}",
                blind=blind,
                is_needed=needed.is_needed,
                remedy=f"add {service} to network.interface_endpoints",
                look=f"aws ec2 describe-vpc-endpoints --region {region} --filters "
                f"Name=vpc-id,Values={vpc_id}",
            )
        )
    yield from problems
    if not problems:
        yield ok(f"{vpc_id} has endpoints of all that nodes need to boot", path=_PATH)


def _missing(
    message: str,
    *,
    blind: bool,
    remedy: str,
    command: str | None = None,
    look: str | None = None,
    is_needed: bool = True,
) -> CheckResult:
    """What is not seen is missing, unless it may be where the account sees nothing."""
    if blind:
        return unknown(
            f"{message}, unless one that this account does not see serves them",
            remedy=f"make sure of it, or {remedy}",
            command=command,
            look=look,
            path=_PATH,
        )
    say = fail if is_needed else warning
    return say(message, remedy=remedy, command=command, look=look, path=_PATH)


def _shown(account: AccountView, table: RouteTable) -> str:
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
