"""A reservation compared with the node groups that use it; asks nobody.

Sources:
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservation.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from trnkit.layout.capacity import (
    block_times,
    existing_placement_group,
    format_utc,
    uses_capacity_block,
)
from trnkit.layout.nodes import uses_placement_group
from trnkit.layout.zones import compute_zone_id
from trnkit.operations.preflight.result import fail, warning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from trnkit.aws.ec2_capacity import ReservationDescription
    from trnkit.config import ClusterConfig, NodeGroupConfig
    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.result import CheckResult

_OVER = ("expired", "cancelled", "failed", "payment-failed", "unsupported")
_TO_COME = ("pending", "scheduled", "assessing", "delayed", "payment-pending")
_PLATFORM = "Linux/UNIX"
_SOON = timedelta(days=1)


def judge_reservation(
    cluster: ClusterConfig,
    found: ReservationDescription,
    users: Sequence[tuple[int, NodeGroupConfig]],
    *,
    now: datetime,
) -> Iterator[CheckResult]:
    """What is wrong with a reservation for those who use it.

    Args:
        cluster: The file.
        found: What AWS says of it.
        users: The node groups that name it, with their places in the file.
        now: The moment.
    """
    if found.state in _OVER:
        first = ("compute", "node_groups", users[0][0], "capacity", "capacity_reservation_id")
        yield fail(
            f"{found.reservation_id} is {found.state}",
            evidence=_when(found),
            remedy="name another reservation",
            path=first,
        )
        return
    for index, group in users:
        at = ("compute", "node_groups", index)
        yield from _kind(found, group, at)
        yield from _place(cluster, found, group, at)
        yield from _placement(found, group, at)
        yield from _times(found, group, at, now)


def _kind(found: ReservationDescription, group: NodeGroupConfig, at: Path) -> Iterator[CheckResult]:
    if found.is_capacity_block != uses_capacity_block(group):
        kind, key = (
            ("a Capacity Block", "capacity-block")
            if found.is_capacity_block
            else ("an On-Demand Capacity Reservation", "on-demand-reservation")
        )
        yield fail(
            f"{found.reservation_id} is {kind}, and capacity.type is {group.capacity.type}",
            remedy=f"write `type: {key}`",
            path=(*at, "capacity", "type"),
        )
    if found.instance_type != group.instance_type:
        yield fail(
            f"{found.reservation_id} is of {found.instance_type}, and node group {group.name} is "
            f"of {group.instance_type}",
            remedy="make them the same",
            path=(*at, "instance_type"),
        )


def _place(
    cluster: ClusterConfig, found: ReservationDescription, group: NodeGroupConfig, at: Path
) -> Iterator[CheckResult]:
    path = (*at, "capacity", "capacity_reservation_id")
    zone_id = compute_zone_id(cluster)
    if found.zone_id is not None and zone_id is not None and found.zone_id != zone_id:
        yield fail(
            f"{found.reservation_id} is in {found.zone_id}, and the nodes are in {zone_id}",
            remedy=f"write `availability_zone_id: {found.zone_id}`",
            path=path,
        )
    if found.platform not in (None, _PLATFORM):
        yield fail(
            f"{found.reservation_id} is for platform {found.platform}, and Neuron images are "
            f"{_PLATFORM}",
            remedy=f"use a reservation for {_PLATFORM}",
            path=path,
        )
    if found.tenancy not in (None, "default"):
        yield fail(
            f"{found.reservation_id} has tenancy {found.tenancy}, and nodes have default",
            remedy="use a reservation with default tenancy",
            path=path,
        )
    if found.state == "unavailable":
        yield warning(
            f"{found.reservation_id} is unavailable for now",
            remedy="wait until it is active again before nodes start",
            path=path,
        )


def _placement(
    found: ReservationDescription, group: NodeGroupConfig, at: Path
) -> Iterator[CheckResult]:
    """A reservation made in a placement group admits no other instance, and none in another."""
    made_in = found.placement_group_arn
    theirs = made_in.rpartition("placement-group/")[2] if made_in else None
    ours = existing_placement_group(group)
    if theirs is not None and theirs != ours:
        yield fail(
            f"{found.reservation_id} was made in placement group {theirs}, and node group "
            f"{group.name} is in {ours or 'another or none'}",
            remedy=f"write `placement: {{group_name: {theirs}}}`",
            path=(*at, "placement"),
        )
    elif theirs is None and (ours is not None or uses_placement_group(group)):
        yield fail(
            f"{found.reservation_id} was made in no placement group, and node group {group.name} "
            f"is in {ours or 'a new one'}",
            remedy="leave `placement` out",
            path=(*at, "placement"),
        )


def _times(
    found: ReservationDescription, group: NodeGroupConfig, at: Path, now: datetime
) -> Iterator[CheckResult]:
    at_once = not uses_capacity_block(group) or group.capacity.launch == "with-deployment"
    if at_once and found.state in _TO_COME:
        yield fail(
            f"{found.reservation_id} is {found.state} and not active, and node group {group.name} "
            "starts with the deployment",
            evidence=_when(found),
            remedy="deploy when it is active",
            path=(*at, "capacity"),
        )
    times = block_times(group)
    if times is not None and found.is_capacity_block:
        if found.start is not None and not at_once and times.start < found.start:
            yield fail(
                f"capacity.start is {format_utc(times.start)}, before {found.reservation_id} "
                "begins",
                evidence=_when(found),
                remedy=f"write `start: {format_utc(found.start)}`",
                path=(*at, "capacity", "start"),
            )
        if found.end is not None and times.end != found.end:
            late = times.end > found.end
            say = fail if late else warning
            yield say(
                f"capacity.end is {format_utc(times.end)}, and {found.reservation_id} ends "
                f"{format_utc(found.end)}",
                evidence=_when(found),
                remedy=f"write `end: {format_utc(found.end)}`",
                path=(*at, "capacity", "end"),
            )
    if found.end is not None and now < found.end <= now + _SOON:
        yield warning(
            f"{found.reservation_id} ends {format_utc(found.end)}, within a day",
            remedy="extend it, or expect the nodes to end",
            path=(*at, "capacity"),
        )


def _when(found: ReservationDescription) -> str:
    start = format_utc(found.start) if found.start else "?"
    end = format_utc(found.end) if found.end else "no end"
    return f"{found.state}, from {start} to {end}"
