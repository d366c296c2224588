"""What another version of a cluster file changes about its cost, line by line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trnkit.layout.cost.lines import NOTHING, Money

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.layout.cost.lines import ClusterCost, CostLine

ChangeKind = Literal["added", "removed", "changed"]


@dataclass(frozen=True, slots=True)
class Difference:
    """How much more something costs, or less.

    Attributes:
        least: US dollars more at least, negative for less; None when nobody knows, as when
            something went whose price nobody shows.
        most: US dollars more at most; None when nobody knows, as when such a thing came.
    """

    least: float | None
    most: float | None

    @property
    def is_known(self) -> bool:
        """Whether both ends are."""
        return self.least is not None and self.most is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class LineChange:
    """A line that is not what it was.

    Attributes:
        kind: Whether it came, went or changed.
        old: As it was; None when it came.
        new: As it is; None when it went.
        hourly: What an hour costs more.
        monthly: What a month costs more.
        upfront: What is paid beforehand more.
    """

    kind: ChangeKind
    old: CostLine | None
    new: CostLine | None
    hourly: Difference
    monthly: Difference
    upfront: Difference

    @property
    def line(self) -> CostLine:
        """The newest there is."""
        line = self.new or self.old
        assert line is not None
        return line


@dataclass(frozen=True, slots=True, kw_only=True)
class CostComparison:
    """Two versions of a cluster.

    Attributes:
        old: What the old one costs.
        new: What the new one costs.
        changes: Lines that differ, in the order of a report.
    """

    old: ClusterCost
    new: ClusterCost
    changes: tuple[LineChange, ...]

    @property
    def hourly(self) -> Difference:
        """What an hour costs more; without an end that nobody knows."""
        return _sum(change.hourly for change in self.changes)

    @property
    def monthly(self) -> Difference:
        """What a month costs more; without an end that nobody knows."""
        return _sum(change.monthly for change in self.changes)

    @property
    def upfront(self) -> Difference:
        """What is paid beforehand more; without an end that nobody knows."""
        return _sum(change.upfront for change in self.changes)

    @property
    def unknown(self) -> tuple[LineChange, ...]:
        """Changes that leave a sum without one of its ends, because nobody knows their price."""
        return tuple(change for change in self.changes if not change.monthly.is_known)


def compare_costs(old: ClusterCost, new: ClusterCost) -> CostComparison:
    """Compare two versions of a cluster.

    Args:
        old: What it costs.
        new: What it would cost.
    """
    before = {line.key: line for line in old.lines}
    after = {line.key: line for line in new.lines}
    changes: list[LineChange] = []
    for component in dict.fromkeys((*new.components(), *old.components())):
        keys = dict.fromkeys(line.key for cost in (new, old) for line in cost.of(component))
        changes += [
            _change(before.get(key), after.get(key))
            for key in keys
            if _differs(before.get(key), after.get(key))
        ]
    return CostComparison(old=old, new=new, changes=tuple(changes))


def _differs(old: CostLine | None, new: CostLine | None) -> bool:
    if old is None or new is None:
        return True
    return _what_counts(old) != _what_counts(new)


def _what_counts(line: CostLine) -> tuple[object, ...]:
    # Amounts of unknown price are all the same: only the arithmetic tells a longer block.
    arithmetic = line.formula if line.price is None else None
    return line.hourly, line.monthly, line.upfront, line.quantity, line.item, arithmetic


def _change(old: CostLine | None, new: CostLine | None) -> LineChange:
    return LineChange(
        kind="added" if old is None else "removed" if new is None else "changed",
        old=old,
        new=new,
        hourly=_difference(old and old.hourly, new and new.hourly, _growth(old, new)),
        monthly=_difference(old and old.monthly, new and new.monthly, _growth(old, new)),
        upfront=_difference(old and old.upfront, new and new.upfront, _growth(old, new)),
    )


def _growth(old: CostLine | None, new: CostLine | None) -> float | None:
    """How many more units there are of the same thing; None where hours or prices change too."""
    if old is None or new is None or old.quantity == new.quantity:
        return None
    is_same = (old.item, old.price, old.course) == (new.item, new.price, new.course)
    return new.quantity - old.quantity if is_same and new.course != "upfront" else None


def _difference(old: Money | None, new: Money | None, growth: float | None) -> Difference:
    """End by end: a price that only other Regions show is the same unknown one before and after.

    Where an upper end is missing, what is left is what no price can change: what came costs no
    less than nothing, and what went saves no less than nothing.
    """
    before, after = old or NOTHING, new or NOTHING
    if before.high is None and after.high is None:
        return _of_unknown_price(growth)
    if after.high is None:
        return Difference(after.low - before.counted, None)
    if before.high is None:
        return Difference(None, after.high - before.low)
    ends = (after.low - before.low, after.high - before.high)
    return Difference(min(ends), max(ends))


def _of_unknown_price(growth: float | None) -> Difference:
    """More of what nobody knows the price of is no less, and less of it is no more."""
    if growth is None:
        return Difference(None, None)
    return Difference(0.0, None) if growth > 0 else Difference(None, 0.0)


def _sum(differences: Iterable[Difference]) -> Difference:
    every = tuple(differences)
    return Difference(
        _end(difference.least for difference in every),
        _end(difference.most for difference in every),
    )


def _end(amounts: Iterable[float | None]) -> float | None:
    known: list[float] = []
    for amount in amounts:
        if amount is None:
            return None
        known.append(amount)
    return math.fsum(known)
