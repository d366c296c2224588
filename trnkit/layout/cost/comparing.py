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
        least: US dollars more at least, negative for less; None when nobody knows.
        most: US dollars more at most.
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
        """What an hour costs more, as far as that is known."""
        return _sum(change.hourly for change in self.changes)

    @property
    def monthly(self) -> Difference:
        """What a month costs more, as far as that is known."""
        return _sum(change.monthly for change in self.changes)

    @property
    def upfront(self) -> Difference:
        """What is paid beforehand more, as far as that is known."""
        return _sum(change.upfront for change in self.changes)

    @property
    def unknown(self) -> tuple[LineChange, ...]:
        """Changes that the sums leave out, because nobody knows their price."""
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
    return line.hourly, line.monthly, line.upfront, line.quantity, line.item


def _change(old: CostLine | None, new: CostLine | None) -> LineChange:
    return LineChange(
        kind="added" if old is None else "removed" if new is None else "changed",
        old=old,
        new=new,
        hourly=_difference(old and old.hourly, new and new.hourly),
        monthly=_difference(old and old.monthly, new and new.monthly),
        upfront=_difference(old and old.upfront, new and new.upfront),
    )


def _difference(old: Money | None, new: Money | None) -> Difference:
    """End by end: a price that only other Regions show is the same unknown one before and after."""
    before, after = old or NOTHING, new or NOTHING
    if before.high is None or after.high is None:
        return Difference(None, None)
    ends = (after.low - before.low, after.high - before.high)
    return Difference(min(ends), max(ends))


def _sum(differences: Iterable[Difference]) -> Difference:
    known = [one for one in differences if one.is_known]
    return Difference(
        math.fsum(one.least or 0.0 for one in known), math.fsum(one.most or 0.0 for one in known)
    )
