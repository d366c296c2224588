"""TRN931: no reservation of the account bills idle beside On-Demand nodes that fit into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.ec2_capacity import DESCRIBE_CAPACITY_RESERVATIONS
from trnkit.aws.sts import GET_CALLER_IDENTITY
from trnkit.findings import Severity
from trnkit.layout.tags import CLUSTER_TAG
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.reservation_judgement import judge_end, judge_usable
from trnkit.operations.preflight.result import ok, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.aws.ec2_capacity import ReservationDescription
    from trnkit.config import NodeGroupConfig
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult


def _run(account: AccountView) -> Iterator[CheckResult]:
    groups = [
        (index, group)
        for index, group in enumerate(account.cluster.compute.node_groups)
        if group.capacity.type == "on-demand" and group.count
    ]
    if not groups:
        return
    whose = account.caller(account.cluster.region).account
    named = {
        group.capacity.capacity_reservation_id for group in account.cluster.compute.node_groups
    }
    idle = [
        reservation
        for reservation in account.live_reservations()
        if reservation.owner == whose
        and reservation.state == "active"
        and not reservation.is_capacity_block
        and reservation.reservation_id not in named
        and CLUSTER_TAG not in reservation.tags
    ]
    for index, group in groups:
        yield from _beside(account, index, group, idle)


def _beside(
    account: AccountView, index: int, group: NodeGroupConfig, idle: list[ReservationDescription]
) -> Iterator[CheckResult]:
    path = ("compute", "node_groups", index, "capacity")
    # Nodes take an open one by themselves, unless the file keeps them from it.
    takes_open = group.capacity.capacity_reservation_preference != "none"
    usable = [
        reservation
        for reservation in idle
        if reservation.available >= group.count
        and not (takes_open and reservation.match_criteria == "open")
        and judge_usable(account.cluster, reservation, group)
        and not list(judge_end(account.cluster, reservation, group, path, account.now))
    ]
    if not usable:
        yield ok(f"no idle reservation would hold node group {group.name}", path=path)
        return
    found = usable[0]
    yield warning(
        f"{found.reservation_id} bills {found.available} idle {found.instance_type} in "
        f"{found.zone_id}, and node group {group.name} starts {group.count} On-Demand beside it",
        remedy="write `capacity: {type: on-demand-reservation, capacity_reservation_id: "
        f"{found.reservation_id}}}`, unless it is kept for something else",
        path=path,
    )


CHECK = PreflightCheck(
    id="TRN931",
    name="idle-reservations",
    title="No reservation of the account bills idle beside On-Demand nodes that fit into it",
    why="A reservation bills whether instances run in it or not. A targeted one is used by nodes "
    "that name it alone, and an open one not by nodes whose preference is `none`. Said is only "
    "what would hold a whole node group. Whether On-Demand capacity is there no call tells.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/"
    "capacity-reservations-pricing-billing.html",
    needs=(DESCRIBE_CAPACITY_RESERVATIONS, GET_CALLER_IDENTITY),
    run=_run,
    worst=Severity.WARNING,
)
