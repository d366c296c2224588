"""What a plan says of its request: dates that decide nothing, lengths that nobody sells."""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from trnkit.catalog import (
    capacity_block_facts,
    capacity_block_hours,
    find_instance_type,
    instance_type_names,
)
from trnkit.findings import nearest
from trnkit.layout.capacity import format_utc
from trnkit.rules.judging.wording import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from trnkit.operations.planning.aim import PlanAim, PlanOptions
    from trnkit.operations.planning.market import RegionMarket


def of_request(said: PlanOptions, aim: PlanAim, now: datetime) -> Iterator[str]:
    """What of the times was taken otherwise than it was said, or decides nothing.

    Args:
        said: What the user said, word for word.
        aim: What became of it.
        now: When AWS is asked.
    """
    bought = {purchase for way in aim.ways for purchase in way.purchases}
    has_blocks = "capacity-block" in bought
    if said.earliest is not None and bought <= {"on-demand", "spot"}:
        yield (
            "--start-after decides nothing here: On-Demand and Spot instances start when they are "
            "launched"
        )
    elif said.earliest is not None and said.earliest <= now:
        yield f"--start-after is {format_utc(said.earliest)}, which is over: taken as now"
    if said.latest is not None and not has_blocks:
        yield "--start-before decides nothing here: only Capacity Blocks have a start of their own"
    if has_blocks:
        yield from _of_blocks(aim, now)


def _of_blocks(aim: PlanAim, now: datetime) -> Iterator[str]:
    sold = capacity_block_hours(aim.hours or 0)
    # All blocks end at one time of day, so that those of the same days are what was asked for.
    if aim.hours is not None and sold is not None and sold != aim.hours:
        facts = capacity_block_facts()
        yield (
            f"no Capacity Block has {aim.hours} hours: {sold} hours are asked for, the next length "
            f"on sale (whole days up to {facts.days_in_single_steps}, then steps of "
            f"{facts.step_days_beyond} days)"
        )
    weeks = capacity_block_facts().weeks_ahead
    last = now.astimezone(UTC) + timedelta(weeks=weeks)
    if aim.earliest is not None and aim.earliest > last:
        yield (
            f"Capacity Blocks are sold {weeks} weeks ahead at most: none on sale today starts "
            f"after {format_utc(last)}"
        )


def of_unknown_types(aim: PlanAim, markets: Sequence[RegionMarket]) -> Iterator[str]:
    """Types that the catalogue lacks and no Region has, in any way: misspelled, or not out yet.

    Args:
        aim: What is wanted.
        markets: What AWS said of each Region.
    """
    for name in dict.fromkeys(need.instance_type for need in aim.needs):
        kinds = [
            kind for market in markets for kind in market.types if kind.need.instance_type == name
        ]
        nowhere = all(kind.offered == frozenset() and not kind.blocks for kind in kinds)
        if kinds and nowhere and find_instance_type(name) is None:
            close = nearest(name, instance_type_names())
            yield (
                f"no Region that was asked has {name}, and the catalogue does not know it: "
                + did_you_mean(close, "is it written right?")
            )
