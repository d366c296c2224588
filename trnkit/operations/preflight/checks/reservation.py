"""TRN907: each reservation and Capacity Block is what the file takes it for."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from trnkit.aws.ec2_capacity import DESCRIBE_CAPACITY_RESERVATIONS, DESCRIBE_INSTANCES
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.resource_groups import (
    GET_GROUP_CONFIGURATION,
    LIST_GROUP_RESOURCES,
    RESERVATION_POOL,
    ResourceGroupsGateway,
)
from trnkit.aws.sts import GET_CALLER_IDENTITY
from trnkit.layout.capacity import format_utc
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.reservation_judgement import judge_reservation
from trnkit.operations.preflight.reservation_pool import ReservationPool, judge_pool
from trnkit.operations.preflight.result import fail, ok, unanswered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trnkit.aws.ec2_capacity import ReservationDescription
    from trnkit.config import NodeGroupConfig
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult


def _run(account: AccountView) -> Iterator[CheckResult]:
    by_id: dict[str, list[tuple[int, NodeGroupConfig]]] = defaultdict(list)
    by_pool: dict[str, list[tuple[int, NodeGroupConfig]]] = defaultdict(list)
    for index, group in enumerate(account.cluster.compute.node_groups):
        capacity = group.capacity
        if capacity.capacity_reservation_id:
            by_id[capacity.capacity_reservation_id].append((index, group))
        elif arn := capacity.capacity_reservation_resource_group_arn:
            by_pool[arn].append((index, group))
    for reservation_id, users in by_id.items():
        try:
            yield from _one(account, reservation_id, users)
        except AwsFailure as failure:
            yield unanswered(failure, path=_path(users, "capacity_reservation_id"))
    promised = {name: sum(group.count for _, group in users) for name, users in by_id.items()}
    for arn, users in by_pool.items():
        try:
            yield from _pool(account, arn, users, promised)
        except AwsFailure as failure:
            path = _path(users, "capacity_reservation_resource_group_arn")
            yield unanswered(failure, path=path)


def _one(
    account: AccountView, reservation_id: str, users: Sequence[tuple[int, NodeGroupConfig]]
) -> Iterator[CheckResult]:
    path = _path(users, "capacity_reservation_id")
    found = account.reservation(reservation_id)
    if found is None:
        region = account.cluster.region
        yield fail(
            f"this account sees no reservation {reservation_id} in {region}",
            remedy="name a reservation of this account and Region, or have it shared",
            look=f"aws ec2 describe-capacity-reservations --region {region}",
            path=path,
        )
        return
    problems = list(judge_reservation(account.cluster, found, users, now=account.now))
    yield from problems
    shared = _is_shared(account, found)
    crowded = list(_places(account, found, users, path, shared=shared))
    yield from crowded
    if not problems and not crowded:
        kind = "Capacity Block" if found.is_capacity_block else "reservation"
        whose = ", shared by another account" if shared else ""
        yield ok(
            f"{kind} {reservation_id} is {found.state}: {found.total} {found.instance_type} in "
            f"{found.zone_id}, {found.available} free{whose}",
            evidence=_evidence(found, shared=shared),
            path=path,
        )


def _evidence(found: ReservationDescription, *, shared: bool) -> str | None:
    told: list[str] = []
    if shared:
        # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservation-sharing.html
        told.append("its owner may cancel it or stop sharing it")
        if not found.is_capacity_block:
            told.append("what runs in it counts against the owner's quota")
    if found.commitment_end is not None:
        told.append(f"it is committed until {format_utc(found.commitment_end)}")
    return "; ".join(told) or None


def _places(
    account: AccountView,
    found: ReservationDescription,
    users: Sequence[tuple[int, NodeGroupConfig]],
    path: tuple[str | int, ...],
    *,
    shared: bool,
) -> Iterator[CheckResult]:
    """Whether all nodes of all groups that use it find a place."""
    asked = sum(group.count for _, group in users)
    if asked > found.total:
        yield fail(
            f"{found.reservation_id} has {found.total} instances, and the file asks for {asked}",
            remedy="lower `count`, or use a larger reservation",
            path=path,
        )
        return
    # Nothing is free in one that is not active yet; all of it will be.
    if asked <= found.available or found.state != "active":
        return
    own = _own_nodes(account)[found.reservation_id]
    if asked > found.available + own:
        look = (
            f"aws ec2 describe-instances --region {account.cluster.region} --filters "
            f"Name=capacity-reservation-id,Values={found.reservation_id}"
        )
        yield fail(
            f"{found.available} of {found.total} instances of {found.reservation_id} are free and "
            f"{own} are this cluster's, and the file asks for {asked}",
            # Of a shared one an account sees its own instances alone.
            remedy="ask its owner who uses it, or lower `count`"
            if shared
            else "stop what runs in it, or lower `count`",
            look=None if shared else look,
            path=path,
        )


def _pool(
    account: AccountView,
    arn: str,
    users: Sequence[tuple[int, NodeGroupConfig]],
    promised: dict[str, int],
) -> Iterator[CheckResult]:
    path = _path(users, "capacity_reservation_resource_group_arn")
    name, region = arn.rpartition(":group/")[2], account.cluster.region
    gateway = account.gateway(ResourceGroupsGateway)
    try:
        kinds, ids = gateway.configured_as(arn), gateway.reservation_ids(arn)
    except AwsFailure as failure:
        if failure.kind is not FailureKind.NOT_FOUND:
            raise
        yield fail(
            f"this account has no resource group {name} in {region}",
            remedy="name a resource group of this account and Region",
            look=f"aws resource-groups list-groups --region {region}",
            path=path,
        )
        return
    if RESERVATION_POOL not in kinds:
        yield fail(
            f"resource group {name} is not configured as {RESERVATION_POOL}, and no instance can "
            "be launched into it",
            remedy="make a resource group for Capacity Reservations",
            look=f"aws resource-groups get-group-configuration --region {region} --group {name}",
            path=path,
        )
        return
    seen = [found for each in ids if (found := account.reservation(each)) is not None]
    own = _own_nodes(account) if any(member.state == "active" for member in seen) else {}
    pool = ReservationPool(name=name, members=tuple(seen), own=own, promised=promised)
    yield from judge_pool(account.cluster, pool, users, now=account.now)


def _own_nodes(account: AccountView) -> Counter[str | None]:
    """The cluster's nodes that run already, by reservation."""
    running = (node for node in account.running() if account.is_own(node.tags))
    return Counter(node.capacity_reservation_id for node in running)


def _is_shared(account: AccountView, found: ReservationDescription) -> bool:
    if found.owner is None:
        return False
    return found.owner != account.caller(account.cluster.region).account


def _path(users: Sequence[tuple[int, NodeGroupConfig]], key: str) -> tuple[str | int, ...]:
    return ("compute", "node_groups", users[0][0], "capacity", key)


CHECK = PreflightCheck(
    id="TRN907",
    name="reservation",
    title="Each reservation and Capacity Block is what the file takes it for",
    why="Ids of both kinds look alike and need opposite launch templates. Instances start in a "
    "reservation only if type, zone, platform and tenancy are its own, while it is active and has "
    "free instances; otherwise paid capacity stays idle. The reservations of a resource group are "
    "looked at one by one: those that fit need room for all nodes, Capacity Blocks from the "
    "groups' start to their end. One that another account shares is judged alike, and its quota is "
    "the owner's.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-launch.html",
    needs=(
        DESCRIBE_CAPACITY_RESERVATIONS,
        DESCRIBE_INSTANCES,
        GET_CALLER_IDENTITY,
        GET_GROUP_CONFIGURATION,
        LIST_GROUP_RESOURCES,
    ),
    run=_run,
)
