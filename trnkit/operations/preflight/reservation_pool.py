"""The reservations of a resource group compared with the node groups that use it; asks nobody.

A launch that names a resource group takes any reservation in it that fits and has a free instance.
So one that does not fit is no mistake; too few that fit are.

Sources:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-groups-launch.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cb-group.html
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.layout.capacity import block_times, format_utc, ultraservers, uses_capacity_block
from trnkit.operations.preflight.reservation_judgement import (
    judge_end,
    judge_fit,
    judge_soon,
    starts_at_once,
)
from trnkit.operations.preflight.result import Status, fail, ok, warning
from trnkit.report.words import count_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from trnkit.aws.ec2_capacity import ReservationDescription
    from trnkit.config import ClusterConfig, NodeGroupConfig
    from trnkit.operations.preflight.result import CheckResult

_REASONS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservationPool:
    """A resource group of reservations.

    Attributes:
        name: The resource group's.
        members: What is in it, as far as the account sees it.
        own: By reservation: nodes of the cluster that run in it already.
        promised: By reservation: nodes of the file that name it by its own id.
    """

    name: str
    members: tuple[ReservationDescription, ...]
    own: Mapping[str, int]
    promised: Mapping[str, int]

    def places(self, members: Iterable[ReservationDescription]) -> int:
        """Instances that the cluster can have in some of the members."""
        return sum(self.places_in(member) for member in members)

    def places_in(self, member: ReservationDescription) -> int:
        """Instances that the cluster can have in one; all of one that has not begun."""
        free = member.total
        if member.state == "active":
            free = min(free, member.available + self.own.get(member.reservation_id, 0))
        return max(0, free - self.promised.get(member.reservation_id, 0))


def judge_pool(
    cluster: ClusterConfig,
    pool: ReservationPool,
    users: Sequence[tuple[int, NodeGroupConfig]],
    *,
    now: datetime,
) -> Iterator[CheckResult]:
    """Whether all nodes find a place.

    Args:
        cluster: The file.
        pool: What AWS says of the resource group.
        users: The node groups that name it, with their places in the file.
        now: The moment.
    """
    if not pool.members:
        yield fail(
            f"resource group {pool.name} has no reservation that this account sees",
            remedy="add reservations to it with `aws resource-groups group-resources --region "
            f"{cluster.region} --group {pool.name} --resource-arns ARN`, and ARNs that "
            "the command prints",
            look=f"aws ec2 describe-capacity-reservations --region {cluster.region} --query "
            "'CapacityReservations[].[CapacityReservationArn,InstanceType,State]' --output text",
            path=_path(users),
        )
        return
    teams: dict[tuple[str, str], list[tuple[int, NodeGroupConfig]]] = defaultdict(list)
    fitting: dict[int, tuple[ReservationDescription, ...]] = {}
    for index, group in users:
        reasons: list[str] = []
        fitting[index] = tuple(_fitting(cluster, pool, (index, group), now, reasons))
        if fitting[index]:
            teams[group.instance_type, group.capacity.type].append((index, group))
        else:
            yield fail(
                f"resource group {pool.name} has {count_of(len(pool.members), 'reservation')}, and "
                f"node group {group.name} can use none",
                evidence="; ".join(reasons[:_REASONS]),
                remedy="add reservations that fit to it",
                path=_path([(index, group)]),
            )
    for team in teams.values():
        # Each alone, and those that take from the same ones together.
        parts = [[user] for user in team] if len(team) > 1 else []
        for part in (*parts, team):
            found = {m.reservation_id: m for index, _ in part for m in fitting[index]}
            results = list(_team(pool, tuple(found.values()), part, now))
            yield from (r for r in results if part is team or r.status is Status.FAIL)


def _fitting(
    cluster: ClusterConfig,
    pool: ReservationPool,
    user: tuple[int, NodeGroupConfig],
    now: datetime,
    reasons: list[str],
) -> Iterator[ReservationDescription]:
    """Members in which nodes can start, now or later; why the others are none."""
    index, group = user
    at = ("compute", "node_groups", index)
    for member in pool.members:
        wrong = [
            *judge_end(cluster, member, group, at, now),
            *judge_fit(cluster, member, group, at),
        ]
        if wrong:
            reasons.append(wrong[0].message)
        else:
            yield member


def _team(
    pool: ReservationPool,
    members: tuple[ReservationDescription, ...],
    users: Sequence[tuple[int, NodeGroupConfig]],
    now: datetime,
) -> Iterator[CheckResult]:
    """Groups of one instance type and kind of capacity, and all that they can use."""
    path, asked = _path(users), sum(group.count for _, group in users)
    block = uses_capacity_block(users[0][1])
    problems = list(_blocks(pool, members, users, now) if block else _now(pool, members, users))
    for member in members:
        problems += judge_soon(member, path, now)
    yield from problems
    if not problems:
        kinds = "Capacity Block" if block else "reservation"
        yield ok(
            f"resource group {pool.name} has {pool.places(members)} {users[0][1].instance_type} in "
            f"{count_of(len(members), kinds)} for {_names(users)}, which {_ask(users)} for {asked}",
            path=path,
        )


def _now(
    pool: ReservationPool,
    members: tuple[ReservationDescription, ...],
    users: Sequence[tuple[int, NodeGroupConfig]],
) -> Iterator[CheckResult]:
    live = [member for member in members if member.state in ("active", "pending", "unavailable")]
    places, asked = pool.places(live), sum(group.count for _, group in users)
    if places < asked:
        later = [f"{m.reservation_id} is {m.state}" for m in members if m not in live]
        yield fail(
            f"resource group {pool.name} has {places} {users[0][1].instance_type} free for "
            f"{_names(users)}, which {_ask(users)} for {asked}",
            evidence="; ".join(later[:_REASONS]) or None,
            remedy="add reservations to it, stop what runs in them, or lower `count`",
            path=_path(users),
        )
    waiting = [member.reservation_id for member in live if member.state == "pending"]
    if places >= asked and waiting:
        yield warning(
            f"{waiting[0]} is pending; EC2 may need 5 minutes to say that it is active",
            remedy="run this again in a few minutes",
            path=_path(users),
        )


def _blocks(
    pool: ReservationPool,
    members: tuple[ReservationDescription, ...],
    users: Sequence[tuple[int, NodeGroupConfig]],
    now: datetime,
) -> Iterator[CheckResult]:
    """Whether the blocks have an instance for each node from the groups' start to their end."""
    windows = {index: _window(group, now) for index, group in users}
    moments = {start for start, _ in windows.values()}
    split: list[CheckResult] = []
    moments |= {at for member in members for at in (member.start, member.end) if at is not None}
    for moment in sorted(moments):
        asked = [(i, g) for i, g in users if windows[i][0] <= moment < windows[i][1]]
        there = [member for member in members if _is_there(member, moment, now)]
        needed, places = sum(group.count for _, group in asked), pool.places(there)
        if places < needed:
            yield fail(
                f"the Capacity Blocks of resource group {pool.name} have {places} "
                f"{users[0][1].instance_type} from {format_utc(moment)} on, and {_names(asked)} "
                f"{_ask(asked)} for {needed}",
                evidence="; ".join(map(_span, members[:_REASONS])),
                remedy="correct `start`, `end` or `count`, or add a block to it",
                path=_path(asked),
            )
            return
        # Once is enough: at the moment that comes first.
        split = split or list(_split_ultraservers(pool, there, asked))
    yield from split
    yield from _seams(members, users, windows)


def _seams(
    members: tuple[ReservationDescription, ...],
    users: Sequence[tuple[int, NodeGroupConfig]],
    windows: Mapping[int, tuple[datetime, datetime]],
) -> Iterator[CheckResult]:
    """Nodes whose block ends before the group does; paid time that the group does not use."""
    ends = sorted({member.end for member in members if member.end is not None})
    for index, group in users:
        start, end = windows[index]
        seams = [at for at in ends if start < at < end]
        path = (*_path([(index, group)]), "end")
        if seams:
            yield warning(
                f"a Capacity Block of node group {group.name} ends {format_utc(seams[0])}, before "
                "the group does: EC2 terminates its nodes and Auto Scaling starts others",
                remedy="write checkpoints before, or make a node group of each block",
                path=path,
            )
        if ends and end < ends[-1]:
            yield warning(
                f"capacity.end is {format_utc(end)}, and the last block ends "
                f"{format_utc(ends[-1])}",
                remedy=f"write `end: {format_utc(ends[-1])}`",
                path=path,
            )


def _split_ultraservers(
    pool: ReservationPool,
    members: Sequence[ReservationDescription],
    users: Sequence[tuple[int, NodeGroupConfig]],
) -> Iterator[CheckResult]:
    together = ultraservers(users[0][1]) if users else None
    if together is None:
        return
    each = together.instances_each
    whole = sum(pool.places_in(member) // each * each for member in members)
    asked = sum(group.count for _, group in users)
    if whole < asked:
        yield warning(
            f"{_names(users)} {_ask(users)} for {asked} nodes, and only {whole} are in whole "
            "UltraServers",
            remedy=f"stop what else runs in the UltraServers, each of {each} instances",
            path=_path(users),
        )


def _window(group: NodeGroupConfig, now: datetime) -> tuple[datetime, datetime]:
    times = block_times(group)
    if times is None:  # TRN2xx wants both; without them the moment counts.
        return now, now
    return (now if starts_at_once(group) else times.start), times.end


def _is_there(member: ReservationDescription, moment: datetime, now: datetime) -> bool:
    if moment <= now and member.state != "active":
        return False
    begun = member.start is None or member.start <= moment
    return begun and (member.end is None or moment < member.end)


def _span(member: ReservationDescription) -> str:
    start = format_utc(member.start) if member.start else "?"
    end = format_utc(member.end) if member.end else "no end"
    return f"{member.reservation_id}: {member.total}, {member.state}, from {start} to {end}"


def _names(users: Sequence[tuple[int, NodeGroupConfig]]) -> str:
    return ", ".join(group.name for _, group in users)


def _ask(users: Sequence[tuple[int, NodeGroupConfig]]) -> str:
    return "asks" if len(users) == 1 else "ask"


def _path(users: Sequence[tuple[int, NodeGroupConfig]]) -> tuple[str | int, ...]:
    return ("compute", "node_groups", users[0][0], "capacity")
