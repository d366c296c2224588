"""TRN907: each reservation and Capacity Block is what the file takes it for."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from trnkit.aws.ec2_capacity import DESCRIBE_CAPACITY_RESERVATIONS, DESCRIBE_INSTANCES
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.layout.capacity import uses_capacity_block
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.reservation_judgement import judge_reservation
from trnkit.operations.preflight.result import fail, ok, unanswered, unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.aws.ec2_capacity import ReservationDescription
    from trnkit.config import NodeGroupConfig
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult


def _run(account: AccountView) -> Iterator[CheckResult]:
    by_id: dict[str, list[tuple[int, NodeGroupConfig]]] = defaultdict(list)
    for index, group in enumerate(account.cluster.compute.node_groups):
        capacity = group.capacity
        if capacity.capacity_reservation_id:
            by_id[capacity.capacity_reservation_id].append((index, group))
        elif arn := capacity.capacity_reservation_resource_group_arn:
            name = arn.rpartition("/")[2]
            yield unknown(
                f"node group {group.name}: the reservations of resource group {name} are not "
                "compared with the file",
                remedy="look at the group's reservations",
                command=f"aws resource-groups list-group-resources --group {arn}",
                path=("compute", "node_groups", index, "capacity"),
            )
    for reservation_id, users in by_id.items():
        yield from _one(account, reservation_id, users)


def _one(
    account: AccountView, reservation_id: str, users: list[tuple[int, NodeGroupConfig]]
) -> Iterator[CheckResult]:
    path = ("compute", "node_groups", users[0][0], "capacity", "capacity_reservation_id")
    found: ReservationDescription | None = None
    try:
        found = account.capacity.reservation(reservation_id)
    except AwsFailure as failure:
        if failure.kind is not FailureKind.NOT_FOUND:
            yield unanswered(failure, path=path)
            return
    if found is None:
        region = account.cluster.region
        yield fail(
            f"this account sees no reservation {reservation_id} in {region}",
            remedy="name a reservation of this account and Region, or have it shared",
            command=f"aws ec2 describe-capacity-reservations --region {region}",
            path=path,
        )
        return
    problems = list(judge_reservation(account.cluster, found, users, now=account.now))
    problems += _places(account, found, users, path)
    yield from problems
    if not problems:
        kind = "Capacity Block" if found.is_capacity_block else "reservation"
        yield ok(
            f"{kind} {reservation_id} is {found.state}: {found.total} {found.instance_type} in "
            f"{found.zone_id}, {found.available} free",
            path=path,
        )


def _places(
    account: AccountView,
    found: ReservationDescription,
    users: list[tuple[int, NodeGroupConfig]],
    path: tuple[str | int, ...],
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
    waits = all(uses_capacity_block(group) for _, group in users) and found.state != "active"
    if asked <= found.available or waits:
        return
    own = sum(
        account.is_own(instance.tags)
        for instance in account.running()
        if instance.capacity_reservation_id == found.reservation_id
    )
    if asked > found.available + own:
        yield fail(
            f"{found.available} of {found.total} instances of {found.reservation_id} are free and "
            f"{own} are this cluster's, and the file asks for {asked}",
            remedy="stop what runs in it, or lower `count`",
            command=f"aws ec2 describe-instances --region {account.cluster.region} --filters "
            f"Name=capacity-reservation-id,Values={found.reservation_id}",
            path=path,
        )


CHECK = PreflightCheck(
    id="TRN907",
    name="reservation",
    title="Each reservation and Capacity Block is what the file takes it for",
    why="Ids of both kinds look alike and need opposite launch templates. Instances start in a "
    "reservation only if type, zone, platform, tenancy and placement group are its own, while it "
    "is active and has free instances; otherwise paid capacity stays idle.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-using.html",
    needs=(DESCRIBE_CAPACITY_RESERVATIONS, DESCRIBE_INSTANCES),
    run=_run,
)
