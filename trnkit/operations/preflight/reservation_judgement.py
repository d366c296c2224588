"""A reservation compared with the node groups that use it; asks nobody.

Sources:
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservation.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-view.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-consumer-procedures.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from trnkit.layout.capacity import (
    block_termination,
    block_times,
    existing_placement_group,
    format_utc,
    uses_capacity_block,
)
from trnkit.layout.nodes import uses_placement_group
from trnkit.layout.zones import compute_zone_id
from trnkit.operations.preflight.result import fail, unknown, warning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from trnkit.aws.ec2_capacity import ReservationDescription
    from trnkit.config import ClusterConfig, NodeGroupConfig
    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.result import CheckResult

_OVER = ("expired", "cancelled", "cancelling", "failed", "payment-failed", "unsupported")
_TO_COME = ("pending", "scheduled", "assessing", "delayed", "payment-pending")
_KNOWN = ("active", "unavailable", *_OVER, *_TO_COME)
_PLATFORM = "Linux/UNIX"
_SOON = timedelta(days=1)


def starts_at_once(group: NodeGroupConfig) -> bool:
    """Whether nodes start with the deployment, and not at a time of the file."""
    return not uses_capacity_block(group) or group.capacity.launch == "with-deployment"


def judge_reservation(
    cluster: ClusterConfig,
    found: ReservationDescription,
    users: Sequence[tuple[int, NodeGroupConfig]],
    *,
    now: datetime,
) -> Iterator[CheckResult]:
    """What is wrong with a reservation for those who name it.

    Args:
        cluster: The file.
        found: What AWS says of it.
        users: The node groups that name it, with their places in the file.
        now: The moment.
    """
    first = ("compute", "node_groups", users[0][0], "capacity", "capacity_reservation_id")
    ended = list(judge_end(cluster, found, users[0][1], first, now))
    if ended:
        yield from ended
        return
    for index, group in users:
        at = ("compute", "node_groups", index)
        yield from judge_fit(cluster, found, group, at)
        yield from _start(found, group, at)
        yield from _window(found, group, at)
    yield from judge_soon(found, first, now)


def judge_end(
    cluster: ClusterConfig,
    found: ReservationDescription,
    group: NodeGroupConfig,
    path: Path,
    now: datetime,
) -> Iterator[CheckResult]:
    """Whether it is over, or its state is one that nobody knows; nothing else matters then."""
    if found.state in _OVER:
        yield fail(
            f"{found.reservation_id} is {found.state}",
            evidence=_when(found),
            remedy="name another reservation",
            path=path,
        )
    elif found.state not in _KNOWN:
        yield unknown(
            f"{found.reservation_id} is {found.state}, a state that this version does not know",
            remedy="look at the reservation",
            look=f"aws ec2 describe-capacity-reservations --region {cluster.region} "
            f"--capacity-reservation-ids {found.reservation_id}",
            path=path,
        )
    elif found.end is not None:
        last = block_termination(group, found.end) if found.is_capacity_block else found.end
        if last <= now:
            what = (
                f"EC2 terminates what runs in {found.reservation_id} since {format_utc(last)}"
                if found.is_capacity_block
                else f"{found.reservation_id} has ended at {format_utc(last)}"
            )
            yield fail(what, evidence=_when(found), remedy="name another reservation", path=path)


def judge_fit(
    cluster: ClusterConfig, found: ReservationDescription, group: NodeGroupConfig, at: Path
) -> Iterator[CheckResult]:
    """Whether nodes of a group could start in it at all, at whatever time."""
    yield from _kind(found, group, at)
    yield from _place(cluster, found, group, at)
    yield from _placement(found, group, at)


def judge_usable(
    cluster: ClusterConfig, found: ReservationDescription, group: NodeGroupConfig
) -> bool:
    """Whether nodes of a group could start in an On-Demand reservation, were it named."""
    return (
        found.instance_type == group.instance_type
        and not found.is_interruptible
        and found.placement_group_name == existing_placement_group(group)
        # One that the file asks for would be new, and no reservation was made in it.
        and not group.placement.cluster
        and not list(_place(cluster, found, group, ()))
    )


def judge_soon(found: ReservationDescription, path: Path, now: datetime) -> Iterator[CheckResult]:
    """What will be wrong before long."""
    if found.end is not None and found.end <= now + _SOON:
        yield warning(
            f"{found.reservation_id} ends {format_utc(found.end)}, within a day",
            remedy="extend it, or expect the nodes to end"
            if found.is_capacity_block
            else "extend it, or expect that no node starts after it",
            path=path,
        )
    if found.state == "payment-pending":
        yield warning(
            f"{found.reservation_id} is payment-pending: without the payment it is released",
            evidence=_when(found),
            remedy="see that the payment is made",
            path=path,
        )
    if found.state == "unavailable":
        yield warning(
            f"{found.reservation_id} is unavailable for now",
            remedy="wait until it is active again before nodes start",
            path=path,
        )


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
    if found.is_interruptible:
        yield fail(
            f"{found.reservation_id} is interruptible: instances start in it with a market type of "
            "its own only, and its owner may take them back",
            remedy="use a reservation that is not interruptible",
            path=(*at, "capacity"),
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
    path = (*at, "capacity")
    zone_id = compute_zone_id(cluster)
    if found.zone_id is not None and zone_id is not None and found.zone_id != zone_id:
        yield fail(
            f"{found.reservation_id} is in {found.zone_id}, and the nodes are in {zone_id}",
            remedy=f"name a subnet in {found.zone_id} in `network.existing`"
            if cluster.network.existing
            else f"write `availability_zone_id: {found.zone_id}`",
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
    if found.launch_status == "unlaunchable" and found.state == "active":
        yield fail(
            f"{found.reservation_id} is active and unlaunchable: AWS admits no instance for now",
            remedy="ask AWS Support about the UltraServer, or use another",
            path=path,
        )


def _placement(
    found: ReservationDescription, group: NodeGroupConfig, at: Path
) -> Iterator[CheckResult]:
    """A reservation made in a placement group is for nodes in that one, or in none."""
    ours = existing_placement_group(group)
    if ours is None and not uses_placement_group(group):
        return  # Without one they start in a reservation of either kind.
    theirs = found.placement_group_name
    if theirs is not None and theirs != ours:
        yield fail(
            f"{found.reservation_id} was made in placement group {theirs}, and node group "
            f"{group.name} is in {ours or 'a new one'}",
            remedy=f"write `placement: {{group_name: {theirs}}}`",
            path=(*at, "placement"),
        )
    elif theirs is None:
        yield warning(
            f"{found.reservation_id} was made in no placement group, and node group {group.name} "
            f"is in {ours or 'a new one'}: its capacity need not be close together, so that some "
            "nodes may not start",
            remedy="leave `placement` out, or make the reservation in the placement group",
            path=(*at, "placement"),
        )


def _start(
    found: ReservationDescription, group: NodeGroupConfig, at: Path
) -> Iterator[CheckResult]:
    if not starts_at_once(group) or found.state not in _TO_COME:
        return
    if found.state == "pending":
        yield warning(
            f"{found.reservation_id} is pending; EC2 may need 5 minutes to say that it is active",
            evidence=_when(found),
            remedy="run this again in a few minutes",
            path=(*at, "capacity"),
        )
        return
    when = f", not before {format_utc(found.start)}" if found.start else ""
    yield fail(
        f"{found.reservation_id} is {found.state} and not active, and node group {group.name} "
        "starts with the deployment",
        evidence=_when(found),
        remedy=f"deploy when it is active{when}",
        path=(*at, "capacity"),
    )


def _window(
    found: ReservationDescription, group: NodeGroupConfig, at: Path
) -> Iterator[CheckResult]:
    times = block_times(group)
    if times is None or not found.is_capacity_block:
        return
    if found.start is not None and not starts_at_once(group) and times.start < found.start:
        yield fail(
            f"capacity.start is {format_utc(times.start)}, before {found.reservation_id} begins",
            evidence=_when(found),
            remedy=f"write `start: {format_utc(found.start)}`",
            path=(*at, "capacity", "start"),
        )
    if found.end is not None and times.end != found.end:
        say = fail if times.end > found.end else warning
        yield say(
            f"capacity.end is {format_utc(times.end)}, and {found.reservation_id} ends "
            f"{format_utc(found.end)}",
            evidence=_when(found),
            remedy=f"write `end: {format_utc(found.end)}`",
            path=(*at, "capacity", "end"),
        )


def _when(found: ReservationDescription) -> str:
    start = format_utc(found.start) if found.start else "?"
    end = format_utc(found.end) if found.end else "no end"
    return f"{found.state}, from {start} to {end}"
