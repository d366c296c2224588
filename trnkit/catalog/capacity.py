"""How capacity is bought: Capacity Blocks for ML, Spot, and the limits of gp3 volumes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from trnkit.catalog.disagreements import Disagreement, disagreements_from
from trnkit.catalog.instance_types import find_instance_type
from trnkit.catalog.regions import find_region
from trnkit.catalog.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityBlockFacts:
    """What holds for every Capacity Block for ML.

    Attributes:
        end_time_utc: The time of day at which every block ends, `HH:MM` in UTC.
        maximum_instances: Instances of one block at most.
        maximum_days: Days of one block at most.
        days_in_single_steps: Up to so many days, a block can be of any number of them.
        step_days_beyond: Longer blocks are a multiple of so many days.
        weeks_ahead: How far ahead a block can be bought.
        termination_minutes_before_end: How long before the end EC2 begins to terminate instances.
        ultraserver_termination_minutes_before_end: The same for UltraServer blocks.
        expiration_warning_minutes_before_end: How long before the end EC2's event warns of it.
        schedule_precision_seconds: How late EventBridge Scheduler, which tells nodes, may be.
        disagreements: Where sources differ.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    end_time_utc: str
    maximum_instances: int
    maximum_days: int
    days_in_single_steps: int
    step_days_beyond: int
    weeks_ahead: int
    termination_minutes_before_end: int
    ultraserver_termination_minutes_before_end: int
    expiration_warning_minutes_before_end: int
    schedule_precision_seconds: int
    disagreements: tuple[Disagreement, ...]
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotFacts:
    """What holds for Spot instances.

    Attributes:
        smallest_maximum_price_usd: EC2 refuses a maximum price below this.
        auto_scaling_interruption_behaviors: What instances of Auto Scaling groups can do when EC2
            takes them back.
        note: Why.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    smallest_maximum_price_usd: float
    auto_scaling_interruption_behaviors: tuple[str, ...]
    note: str
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Gp3Limits:
    """What a gp3 volume can be.

    Attributes:
        minimum_iops: Operations a second it has at least, at no charge.
        maximum_iops: Operations a second at most.
        minimum_throughput_mibps: Throughput in MiB/s it has at least, at no charge.
        maximum_throughput_mibps: Throughput in MiB/s at most.
        maximum_size_gib: Size in GiB at most.
        iops_per_gib: Operations a second for each GiB at most.
        throughput_mibps_per_iops: MiB/s for each operation a second at most.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    minimum_iops: int
    maximum_iops: int
    minimum_throughput_mibps: int
    maximum_throughput_mibps: int
    maximum_size_gib: int
    iops_per_gib: int
    throughput_mibps_per_iops: float
    source: tuple[str, ...]
    date: str


@cache
def capacity_block_facts() -> CapacityBlockFacts:
    """Return what holds for every Capacity Block for ML."""
    entry = dict(table("capacity")["capacity_blocks"])
    disagreements = disagreements_from(entry.pop("disagreements"))
    return CapacityBlockFacts(disagreements=disagreements, **entry)


def capacity_block_hours(hours: int) -> int | None:
    """Return the shortest duration that Capacity Blocks are sold in, and is no shorter.

    Args:
        hours: How long the capacity is wanted.

    Returns:
        Hours; None when no block is so long.
    """
    facts = capacity_block_facts()
    days = max(1, -(-hours // 24))
    if days > facts.days_in_single_steps:
        days = -(-days // facts.step_days_beyond) * facts.step_days_beyond
    return days * 24 if days <= facts.maximum_days else None


def scale_in_margin_minutes() -> int:
    """Return how long before EC2 begins to terminate instances a group is scaled in."""
    return table("capacity")["scale_in"]["margin_minutes"]


@cache
def spot_facts() -> SpotFacts:
    """Return what holds for Spot instances."""
    return SpotFacts(**table("capacity")["spot"])


@cache
def gp3_limits() -> Gp3Limits:
    """Return what a gp3 volume can be."""
    return Gp3Limits(**table("capacity")["gp3"])


def capacity_block_sold(instance_type: str, region: str) -> bool | None:
    """Tell whether a type is sold in Capacity Blocks in a Region, alone or as an UltraServer.

    Args:
        instance_type: The EC2 name of the type.
        region: The Region's name.

    Returns:
        None when the catalogue knows the type or the Region not.
    """
    kind, place = find_instance_type(instance_type), find_region(region)
    if kind is None or place is None:
        return None
    together = kind.ultraserver.type_name if kind.ultraserver else None
    alone = instance_type in place.capacity_block_types
    return alone or together in place.capacity_block_ultraserver_types
