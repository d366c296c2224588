"""From what was seen to intervals, and from intervals to money. Asks nobody and writes nothing.

An interval is known by what ran and since when, so seeing it again, in whatever order, changes
nothing. Evidence of its end moves the end to an earlier time only; being seen running after its
end opens it again. What is missing from a complete list has ended by then; what is missing from
one that broke off runs on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from .moments import month_start, next_month

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .sighting import Instance, Reservation, Sighting

Rates = dict[tuple[str, str], Decimal | None]
Key = tuple[str, datetime]

SHOWN_AFTER_END = timedelta(hours=2)
"""EC2 shows a terminated instance for about an hour; what is shown longer was stopped."""

_HOUR = Decimal(3600)
_SLOT = "/"


@dataclass(frozen=True)
class Interval:
    """Something that costs money by the hour, from when to when.

    Attributes:
        what: Id of an instance; `<reservation>/<n>` for an unused instance of a reservation.
        begun: When it began.
        instance_type: Its type.
        purchase: How it is bought.
        node_group: Its node group; empty: none.
        rate: US dollars an hour; None: not known.
        ended: When it ended; None: it runs.
    """

    what: str
    begun: datetime
    instance_type: str
    purchase: str
    node_group: str
    rate: Decimal | None
    ended: datetime | None = None

    @property
    def key(self) -> Key:
        """What it is known by."""
        return self.what, self.begun

    @property
    def is_instance(self) -> bool:
        """Whether it is an instance that ran, not one that was held free."""
        return _SLOT not in self.what


@dataclass(frozen=True)
class Change:
    """What is to be written of an interval: it as it is now.

    Attributes:
        kind: `begin`: it is new. `end`: it ended, perhaps earlier than was thought. `reopen`: it
            runs after all. `reprice`: its rate is another.
        interval: The interval.
        was: When it had ended, as far as was known before.
    """

    kind: Literal["begin", "end", "reopen", "reprice"]
    interval: Interval
    was: datetime | None


class Book:
    """The intervals of a month, and what a sighting changes of them."""

    def __init__(self, intervals: Iterable[Interval], rates: Rates, month: str) -> None:
        self._rates = rates
        self._start = month_start(month)
        self._intervals = {interval.key: interval for interval in intervals}
        self._keys: dict[str, set[Key]] = {}
        for what, begun in self._intervals:
            self._keys.setdefault(what, set()).add((what, begun))
        self.changes: list[Change] = []

    @property
    def intervals(self) -> list[Interval]:
        """All of them, as they are now."""
        return list(self._intervals.values())

    @property
    def running(self) -> list[Interval]:
        """Those without an end."""
        return [interval for interval in self._intervals.values() if interval.ended is None]

    def see(self, sighting: Sighting, since: datetime) -> None:
        """Take in what EC2 showed.

        Args:
            sighting: What it showed.
            since: From when instances of a reservation count as unused that were not known to be.
        """
        for instance in sorted(sighting.instances, key=lambda one: one.launched):
            if instance.runs:
                self._see_running(instance, sighting.at)
            else:
                self._see_gone(instance, sighting.at)
        if sighting.instances_complete:
            shown = {(one.instance_id, one.launched) for one in sighting.instances}
            for interval in self.running:
                if interval.is_instance and interval.key not in shown:
                    self._end(interval, sighting.at)
        self._see_reservations(sighting, since)
        self._reprice()

    def _see_running(self, instance: Instance, at: datetime) -> None:
        interval = self._intervals.get((instance.instance_id, instance.launched))
        if interval is None:
            self._begin(instance.instance_id, instance.launched, instance)
        elif interval.ended is not None and interval.ended < at:
            self._put("reopen", replace(interval, ended=None))
        self._end_former(instance)

    def _see_gone(self, instance: Instance, at: datetime) -> None:
        """It ended when EC2 says, else by now."""
        told = instance.left
        known = told is not None and instance.launched <= told
        ended = told if known and told is not None else max(at, instance.launched)
        interval = self._intervals.get((instance.instance_id, instance.launched))
        self._end_former(instance)
        if interval is None:
            # Stopped long ago: it is in the ledger of its month, or nobody knows until when it ran.
            long_ago = ended <= self._start and at - ended > SHOWN_AFTER_END
            made_up = not known and at - instance.launched > SHOWN_AFTER_END
            if not long_ago and not made_up:
                self._begin(instance.instance_id, instance.launched, instance, ended)
        elif interval.ended is None or (known and ended < interval.ended):
            self._end(interval, ended)

    def _end_former(self, instance: Instance) -> None:
        """What ran before the last start has ended by then."""
        for key in self._keys.get(instance.instance_id, ()):
            interval = self._intervals[key]
            runs_on = interval.ended is None or interval.ended > instance.launched
            if interval.begun < instance.launched and runs_on:
                self._end(interval, instance.launched)

    def _see_reservations(self, sighting: Sighting, since: datetime) -> None:
        """An unused instance of a reservation is billed; one of a Capacity Block is paid."""
        billed = {
            reservation.reservation_id: reservation
            for reservation in sighting.reservations
            if reservation.billed_here and not reservation.is_block
        }
        slots: dict[str, list[Interval]] = {name: [] for name in billed}
        for interval in self.running:
            if not interval.is_instance:
                slots.setdefault(interval.what.partition(_SLOT)[0], []).append(interval)
        for name, held in slots.items():
            reservation = billed.get(name)
            if reservation is not None:
                self._hold(reservation, held, max(since, reservation.began or since))
            elif sighting.reservations_complete:
                for interval in held:
                    self._end(interval, max(sighting.at, interval.begun))
        for name, reservation in billed.items():
            surplus = sorted(slots[name], key=lambda one: (one.begun, one.what))
            for interval in surplus[reservation.unused :]:
                self._end(interval, max(sighting.at, interval.begun))

    def _hold(self, reservation: Reservation, held: list[Interval], begun: datetime) -> None:
        taken = {interval.what for interval in held}
        number = 0
        for _ in range(reservation.unused - len(held)):
            number += 1
            while (what := f"{reservation.reservation_id}{_SLOT}{number:05}") in taken:
                number += 1
            # One that was ended at this very time is opened again: it is the same one.
            former = self._intervals.get((what, begun))
            if former is not None:
                self._put("reopen", replace(former, ended=None))
            else:
                self._begin(what, begun, reservation)

    def _begin(
        self,
        what: str,
        begun: datetime,
        seen: Instance | Reservation,
        ended: datetime | None = None,
    ) -> None:
        purchase = getattr(seen, "purchase", "on-demand")
        rate = self._rates.get((seen.instance_type, purchase))
        interval = Interval(what, begun, seen.instance_type, purchase, seen.node_group, rate, ended)
        self._put("begin", interval)

    def _end(self, interval: Interval, ended: datetime) -> None:
        """One that begins later, by another clock, has not ended."""
        if ended >= interval.begun:
            self._put("end", replace(interval, ended=ended))

    def _reprice(self) -> None:
        """What runs, and what had no price, has the price that is known now."""
        for interval in self.intervals:
            rate = self._rates.get((interval.instance_type, interval.purchase))
            if rate is None or rate == interval.rate:
                continue
            if interval.ended is None or interval.rate is None:
                self._put("reprice", replace(interval, rate=rate))

    def _put(self, kind: Literal["begin", "end", "reopen", "reprice"], interval: Interval) -> None:
        former = self._intervals.get(interval.key)
        self._keys.setdefault(interval.what, set()).add(interval.key)
        self._intervals[interval.key] = interval
        self.changes.append(Change(kind, interval, former.ended if former else None))


def spent(intervals: Iterable[Interval], month: str, now: datetime) -> Decimal:
    """US dollars that intervals cost in a month until now; those without a rate nothing."""
    start, end = month_start(month), min(now, month_start(next_month(month)))
    total = Decimal(0)
    for interval in intervals:
        seconds = (min(interval.ended or end, end) - max(interval.begun, start)).total_seconds()
        if interval.rate is not None and seconds > 0:
            total += interval.rate * int(seconds) / _HOUR
    return total


def fixed(usd_per_hour: Decimal, month: str, first_seen: datetime, now: datetime) -> Decimal:
    """US dollars of what runs all the time, in a month until now, since it was first seen."""
    begin = max(month_start(month), first_seen)
    seconds = int((min(now, month_start(next_month(month))) - begin).total_seconds())
    return usd_per_hour * max(seconds, 0) / _HOUR


def rate_of(intervals: Iterable[Interval]) -> Decimal:
    """US dollars an hour of intervals; those without a rate none."""
    return sum((i.rate for i in intervals if i.rate is not None), Decimal(0))


def by_group(intervals: Iterable[Interval]) -> Mapping[str, list[Interval]]:
    """Instances that ran, by node group."""
    found: dict[str, list[Interval]] = {}
    for interval in intervals:
        if interval.is_instance:
            found.setdefault(interval.node_group, []).append(interval)
    return found
