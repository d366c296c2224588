"""What each day of a calendar month costs, with the times of Capacity Blocks.

No clock: the month is told, or that in which the file's first Capacity Block begins.
"""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from trnkit.layout.capacity import block_times, parse_utc
from trnkit.layout.cost.lines import HOURS_PER_MONTH, Money, total
from trnkit.layout.cost.moments import block_moments

if TYPE_CHECKING:
    from trnkit.config import ClusterConfig, NodeGroupConfig
    from trnkit.layout.capacity import BlockTimes
    from trnkit.layout.cost.lines import ClusterCost, CostLine

_DAY = timedelta(days=1)
_HOUR = timedelta(hours=1)
_OF_NODES = frozenset({"nodes", "node volumes"})


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happens in a month.

    Attributes:
        at: When, in UTC.
        group: Name of the node group that it happens to.
        what: What, in words.
    """

    at: datetime
    group: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCost:
    """What a day costs.

    Attributes:
        day: The day, in UTC.
        nodes: What nodes and their volumes cost.
        fees: What of the fees of Capacity Blocks falls into it; they are paid when bought.
        rest: Everything else.
    """

    day: date
    nodes: Money
    fees: Money
    rest: Money

    @property
    def all(self) -> Money:
        """All of it."""
        return total((self.nodes, self.fees, self.rest))


@dataclass(frozen=True, slots=True, kw_only=True)
class CostMonth:
    """A calendar month.

    Attributes:
        days: Its days.
        moments: What happens in it, in the order of time.
        further_moments: How many moments of the same groups are in other months.
    """

    days: tuple[DayCost, ...]
    moments: tuple[Moment, ...]
    further_moments: int

    @property
    def name(self) -> str:
        """The month as `2027-03`."""
        return self.days[0].day.strftime("%Y-%m")

    @property
    def all(self) -> Money:
        """All days together."""
        return total(day.all for day in self.days)


def first_month(cluster: ClusterConfig) -> date | None:
    """The month in which the first Capacity Block of a file begins; None when it has none."""
    starts = [
        times.start
        for group in cluster.compute.node_groups
        if group.count and (times := block_times(group))
    ]
    return min(starts).date().replace(day=1) if starts else None


def cost_month(cost: ClusterCost, cluster: ClusterConfig, month: date) -> CostMonth:
    """What each day of a month costs.

    Args:
        cost: The estimate.
        cluster: Its file, for the times of Capacity Blocks.
        month: Any day of the month.
    """
    first = month.replace(day=1)
    length = calendar.monthrange(first.year, first.month)[1]
    days = tuple(first + _DAY * number for number in range(length))
    moments = sorted(
        (
            moment
            for group in cluster.compute.node_groups
            if group.count
            for moment in _moments(cluster, group)
        ),
        key=lambda moment: (moment.at, moment.group, moment.what),
    )
    inside = tuple(moment for moment in moments if moment.at.date() in days)
    return CostMonth(
        days=tuple(_day(cost, cluster, day) for day in days),
        moments=inside,
        further_moments=len(moments) - len(inside),
    )


def _day(cost: ClusterCost, cluster: ClusterConfig, day: date) -> DayCost:
    nodes: list[Money] = []
    fees: list[Money] = []
    rest: list[Money] = []
    for line in cost.lines:
        times = _block_of(line, cluster)
        if line.course == "upfront":
            fees.append(line.hourly * _hours(day, times.start, times.end) if times else _even(line))
        elif line.course == "nodes" and times:
            nodes.append(line.hourly * _hours(day, times.start, times.scale_in))
        else:
            (nodes if line.component in _OF_NODES else rest).append(_even(line))
    return DayCost(day=day, nodes=total(nodes), fees=total(fees), rest=total(rest))


def _even(line: CostLine) -> Money:
    """A day's part of what a line costs in a month."""
    return line.monthly * (24 / HOURS_PER_MONTH)


def _block_of(line: CostLine, cluster: ClusterConfig) -> BlockTimes | None:
    """The times of the Capacity Block whose nodes a line is about."""
    match line.path:
        case ("compute", "node_groups", int(number), *_):
            return block_times(cluster.compute.node_groups[number])
        case _:
            return None


def _hours(day: date, begin: datetime, end: datetime) -> float:
    """Hours of a day that lie between two moments."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    inside = min(end, midnight + _DAY) - max(begin, midnight)
    return max(inside / _HOUR, 0.0)


def _moments(cluster: ClusterConfig, group: NodeGroupConfig) -> list[Moment]:
    found = [Moment(one.at, group.name, one.what) for one in block_moments(cluster, group)]
    made = group.capacity.create
    if made is not None and made.end_date is not None:
        what = "the reservation ends; nodes run on, On-Demand"
        found.append(Moment(parse_utc(made.end_date), group.name, what))
    return found
