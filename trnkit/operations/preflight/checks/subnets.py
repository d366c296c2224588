"""TRN909: the subnets of an existing VPC are as the file says, and have room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.ec2_capacity import DESCRIBE_INSTANCES
from trnkit.aws.ec2_network import DESCRIBE_SUBNETS
from trnkit.aws.failures import AwsFailure
from trnkit.layout.address_budget import LEAST_LUSTRE_ADDRESSES
from trnkit.layout.addresses import addresses_needed, addresses_per_node
from trnkit.layout.endpoints import interface_endpoints_of
from trnkit.layout.tags import NODE_GROUP_TAG
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.existing_network import seen_subnet
from trnkit.operations.preflight.result import fail, ok, unanswered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.aws.ec2_network import SubnetDescription
    from trnkit.config import ExistingNetworkConfig
    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult

_HERE = ("network", "existing")


def _run(account: AccountView) -> Iterator[CheckResult]:
    existing = account.cluster.network.existing
    if existing is None:
        return
    places: dict[str, tuple[Path, str | None]] = {
        existing.compute_subnet_id: (
            (*_HERE, "compute_subnet_id"),
            existing.availability_zone_id,
        )
    }
    if existing.storage_subnet_id:
        zone_id = existing.storage_availability_zone_id or existing.availability_zone_id
        place = ((*_HERE, "storage_subnet_id"), zone_id)
        places.setdefault(existing.storage_subnet_id, place)
    for index, subnet_id in enumerate(existing.control_plane_subnet_ids):
        place = ((*_HERE, "control_plane_subnet_ids", index), None)
        places.setdefault(subnet_id, place)
    for subnet_id, (path, zone_id) in places.items():
        try:
            yield from _one(account, existing, subnet_id, zone_id, path)
        except AwsFailure as failure:
            yield unanswered(failure, path=path)


def _one(
    account: AccountView,
    existing: ExistingNetworkConfig,
    subnet_id: str,
    zone_id: str | None,
    path: Path,
) -> Iterator[CheckResult]:
    found = seen_subnet(account, subnet_id)
    if found is None:
        region = account.cluster.region
        yield fail(
            f"this account sees no subnet {subnet_id} in {region}",
            remedy="name a subnet of this account and Region, or have it shared",
            look=f"aws ec2 describe-subnets --region {region} --filters "
            f"Name=vpc-id,Values={existing.vpc_id}",
            path=path,
        )
        return
    problems = list(_judge(existing, found, zone_id, path))
    if subnet_id == existing.compute_subnet_id:
        try:
            problems += _room(account, existing, found, path)
        except AwsFailure as failure:
            problems.append(unanswered(failure, path=path))
    yield from problems
    if not problems:
        yield ok(
            f"{subnet_id} is in {found.zone_id} with {found.free_addresses} free addresses",
            path=path,
        )


def _judge(
    existing: ExistingNetworkConfig,
    found: SubnetDescription,
    zone_id: str | None,
    path: Path,
) -> Iterator[CheckResult]:
    if found.vpc_id != existing.vpc_id:
        yield fail(
            f"{found.subnet_id} is in {found.vpc_id}, and vpc_id is {existing.vpc_id}",
            remedy="name subnets of one VPC",
            path=path,
        )
    if zone_id is not None and found.zone_id != zone_id:
        yield fail(
            f"{found.subnet_id} is in zone {found.zone_id}, and the file says {zone_id}",
            remedy=f"write {found.zone_id}, or name a subnet in {zone_id}",
            path=path,
        )


def _room(
    account: AccountView, existing: ExistingNetworkConfig, found: SubnetDescription, path: Path
) -> Iterator[CheckResult]:
    """Whether the nodes that are still to come find addresses."""
    cluster = account.cluster
    apart = existing.storage_subnet_id not in (None, existing.compute_subnet_id)
    file_systems = 0 if apart else len(cluster.storage.lustre_file_systems)
    needed = (
        addresses_needed(cluster.compute.node_groups)
        + len(interface_endpoints_of(cluster))
        + file_systems * LEAST_LUSTRE_ADDRESSES
    )
    if needed <= found.free_addresses:
        return
    # A cluster that is deployed already has some of them.
    each = {group.name: addresses_per_node(group) or 1 for group in cluster.compute.node_groups}
    held = sum(
        each.get(instance.tags.get(NODE_GROUP_TAG, ""), 1)
        for instance in account.running()
        if account.is_own(instance.tags) and instance.subnet_id == found.subnet_id
    )
    held += (needed - addresses_needed(cluster.compute.node_groups)) if held else 0
    if needed - held > found.free_addresses:
        remedy = "use a larger subnet, or free addresses"
        if any(addresses > 1 for addresses in each.values()):
            remedy += "; `efa.layout: ena-primary` takes one address a node"
        yield fail(
            f"{found.subnet_id} has {found.free_addresses} free addresses, and the cluster takes "
            f"{needed - held} more",
            remedy=remedy,
            look=f"aws ec2 describe-network-interfaces --region {cluster.region} --filters "
            f"Name=subnet-id,Values={found.subnet_id}",
            path=path,
        )


CHECK = PreflightCheck(
    id="TRN909",
    name="subnets",
    title="The subnets of an existing VPC are as the file says, and have room for the nodes",
    why="A subnet's VPC and zone cannot be told from its id. Nodes in another zone than their file "
    "system or reservation do not start or pay for traffic; nodes without a free address do not "
    "start.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html",
    needs=(DESCRIBE_SUBNETS, DESCRIBE_INSTANCES),
    run=_run,
)
