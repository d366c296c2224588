"""What a node group's capacity means: its schedule, its UltraServers, its placement group.

No clock: a schedule is computed from the file alone, so that a cluster synthesizes to the same
bytes before, during and after its Capacity Block.

Sources:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/launch-template-capacity-blocks.html
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from trnkit.catalog import capacity_block_facts, find_instance_type, scale_in_margin_minutes

if TYPE_CHECKING:
    from trnkit.config import NodeGroupConfig

RESERVATION_SOURCES = (
    "capacity_reservation_id",
    "capacity_reservation_resource_group_arn",
    "create",
)
"""Keys that say which reservation a group is in, of which it has exactly one."""

CAPACITY_KEYS: dict[str, tuple[str, ...]] = {
    "on-demand": ("capacity_reservation_preference",),
    "spot": ("max_price_usd", "instance_interruption_behavior"),
    "capacity-block": (
        *RESERVATION_SOURCES[:2],
        "start",
        "end",
        "launch",
        "scale_in_margin_minutes",
        "checkpoint_minutes",
    ),
    "on-demand-reservation": RESERVATION_SOURCES,
}
"""Type of a group's capacity -> the keys beside `type` that belong to it."""

_FORMAT = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True)
class ScalingSchedule:
    """When an Auto Scaling group changes its size by itself.

    Attributes:
        scale_out_at: When it grows to its size, as `2027-03-01T11:30:00Z`; None when it has its
            size from the beginning.
        scale_in_at: When it shrinks to 0.
    """

    scale_out_at: str | None
    scale_in_at: str


@dataclass(frozen=True, slots=True)
class BlockTimes:
    """The moments of a Capacity Block.

    Attributes:
        start: When it begins.
        checkpoint: When its nodes are told to write a checkpoint; None when they are not.
        scale_in: When the group is scaled in to 0.
        termination: When EC2 begins to terminate what still runs.
        end: When it ends.
    """

    start: datetime
    checkpoint: datetime | None
    scale_in: datetime
    termination: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class UltraServers:
    """The UltraServers that a node group makes up.

    Attributes:
        type_name: As in the Capacity Block API, for example `u-trn2x64`.
        instances_each: Instances of one UltraServer.
        count: Whole UltraServers.
        left_over: Instances that make up no whole one.
    """

    type_name: str
    instances_each: int
    count: int
    left_over: int


def parse_utc(text: str) -> datetime:
    """The moment that a `UtcTime` of the configuration names."""
    return datetime.strptime(text, _FORMAT).replace(tzinfo=UTC)


def format_utc(moment: datetime) -> str:
    """A moment as CloudFormation and the cluster file write it."""
    return moment.astimezone(UTC).strftime(_FORMAT)


def uses_capacity_block(group: NodeGroupConfig) -> bool:
    """Whether the group's nodes come from a Capacity Block."""
    return group.capacity.type == "capacity-block"


def uses_existing_reservation(group: NodeGroupConfig) -> bool:
    """Whether the group's nodes come from an On-Demand Capacity Reservation made elsewhere."""
    return group.capacity.type == "on-demand-reservation" and group.capacity.create is None


def ultraservers(group: NodeGroupConfig) -> UltraServers | None:
    """The UltraServers of a group, or None when its type is in none, as far as is known."""
    known = find_instance_type(group.instance_type)
    member = known.ultraserver if known else None
    if member is None:
        return None
    whole, rest = divmod(group.count, member.instances)
    return UltraServers(member.type_name, member.instances, whole, rest)


def block_termination(group: NodeGroupConfig, end: datetime) -> datetime:
    """When EC2 begins to terminate a group's nodes in a Capacity Block that ends at `end`."""
    facts = capacity_block_facts()
    ahead = (
        facts.ultraserver_termination_minutes_before_end
        if ultraservers(group)
        else facts.termination_minutes_before_end
    )
    return end - timedelta(minutes=ahead)


def block_times(group: NodeGroupConfig) -> BlockTimes | None:
    """The moments of a group's Capacity Block; None without one, or without its start and end."""
    capacity = group.capacity
    if not uses_capacity_block(group) or capacity.start is None or capacity.end is None:
        return None
    margin = capacity.scale_in_margin_minutes or scale_in_margin_minutes()
    end = parse_utc(capacity.end)
    termination = block_termination(group, end)
    scale_in = termination - timedelta(minutes=margin)
    ahead = capacity.checkpoint_minutes
    checkpoint = scale_in - timedelta(minutes=ahead) if ahead is not None else None
    return BlockTimes(parse_utc(capacity.start), checkpoint, scale_in, termination, end)


def scaling_schedule(group: NodeGroupConfig) -> ScalingSchedule | None:
    """When the group's Auto Scaling group changes its size; None when it never does."""
    times = block_times(group)
    if times is None or group.count == 0:
        return None
    at_start = group.capacity.launch == "at-start"
    return ScalingSchedule(
        scale_out_at=format_utc(times.start) if at_start else None,
        scale_in_at=format_utc(times.scale_in),
    )


def existing_placement_group(group: NodeGroupConfig) -> str | None:
    """The name of the placement group that the file gives by name or ARN."""
    given = group.placement.group_name
    return given.rpartition(":placement-group/")[2] if given else None
