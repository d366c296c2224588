"""The ledger: intervals in the table, written under each month that they are in.

Every write has a condition that makes it harmless to repeat, to come late, and to come from two
invocations at once. Rows go away by themselves a good year after their month.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from .accounting import SHOWN_AFTER_END, Interval
from .asking import ASKING_ERRORS, fault
from .moments import from_iso, iso, month_of, month_start, months
from .table import CARRIED, FIRST_SEEN, GUARD, ledger_key

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from .accounting import Change, Key
    from .table import GuardTable

_T = TypeVar("_T")
_R = TypeVar("_R")

EXPIRY_ATTRIBUTE = "expires"
"""When DynamoDB may delete a row, in seconds since 1970."""

_KEPT = timedelta(days=400)
_WRITERS = 8


@dataclass(frozen=True)
class Ledger:
    """The intervals of a cluster.

    Attributes:
        table: Where they are.
    """

    table: GuardTable

    def first_seen(self, at: datetime) -> datetime:
        """When the watchdog first ran: now, if it never did."""
        item = self.table.read(GUARD, FIRST_SEEN)
        if item is None:
            row = {"pk": GUARD, "sk": FIRST_SEEN, "at": iso(at)}
            if self.table.put(row, "attribute_not_exists(pk)"):
                return at
            item = self.table.read(GUARD, FIRST_SEEN)
        return min(from_iso(item["at"]), at) if item else at

    def read(self, month: str) -> list[Interval]:
        """The intervals of a month."""
        return [_interval(row) for row in self.table.query(ledger_key(month))]

    def read_at(self, at: datetime) -> list[Interval]:
        """The intervals of a time's month; when it is new, also what ended in the month before.

        EC2 still shows those, and they are not to be taken for new ones.
        """
        month = month_of(at)
        found = self.read(month)
        long_ago = at - SHOWN_AFTER_END
        if long_ago < month_start(month):
            known = {interval.key for interval in found}
            former = self.read(month_of(long_ago))
            found += [interval for interval in former if interval.key not in known]
        return found

    def carry(self, month: str) -> None:
        """Write what still ran in the last month that was counted under the months since, once."""
        item = self.table.read(GUARD, CARRIED)
        if item is not None and item["upto"] >= month:
            return
        if item is not None:
            running = [interval for interval in self.read(item["upto"]) if interval.ended is None]
            for later in months(item["upto"], month)[1:]:
                _at_once(partial(self._begin, month=later), running)
        self.table.put(
            {"pk": GUARD, "sk": CARRIED, "upto": month},
            "attribute_not_exists(pk) OR upto < :month",
            month=month,
        )

    def write(self, changes: Iterable[Change], month: str, first_seen: datetime) -> list[str]:
        """Write what changed, as much of it as can be; what went wrong.

        Args:
            changes: In the order in which they were found.
            month: The month that is counted.
            first_seen: When the watchdog first ran: months before have no ledger.
        """
        of_one: dict[Key, list[Change]] = {}
        for change in changes:
            of_one.setdefault(change.interval.key, []).append(change)
        first = month_of(first_seen)

        def write_all(group: list[Change]) -> str | None:
            try:
                for change in group:
                    self._write(change, month, first)
            except ASKING_ERRORS as error:
                return fault("dynamodb:write", error)
            return None

        return sorted({wrong for wrong in _at_once(write_all, of_one.values()) if wrong})

    def end(self, instance_id: str, ended: datetime, now: datetime) -> bool:
        """Write that an instance stopped running; whether the ledger knows one that did by then.

        It is of the interval that began last before it: news of an earlier stop may come late.
        """
        known = False
        for month in months(month_of(ended), month_of(now)):
            rows = self.table.query(ledger_key(month), f"{instance_id}#")
            begun = [one for one in map(_interval, rows) if one.begun <= ended]
            if begun:
                last = max(begun, key=lambda interval: interval.begun)
                self._end(replace(last, ended=ended), month)
                known = True
        return known

    def _write(self, change: Change, month: str, first: str) -> None:
        interval, was = change.interval, change.was
        if change.kind == "begin":
            until = month_of(interval.ended) if interval.ended else month
            for each in months(max(month_of(interval.begun), first), until):
                self._begin(interval, each)
        elif change.kind == "end" and interval.ended is not None:
            for each in months(month_of(interval.ended), month):
                self._end(interval, each)
        elif change.kind == "reopen" and was is not None:
            for each in months(month_of(was), month):
                key = _key(interval, each)
                self.table.update(*key, "REMOVE ended", "ended = :was", was=iso(was))
        elif change.kind == "reprice":
            key, rate = _key(interval, month), str(interval.rate)
            self.table.update(*key, "SET rate = :rate", "attribute_exists(pk)", rate=rate)

    def _begin(self, interval: Interval, month: str) -> None:
        pk, sk = _key(interval, month)
        expires = month_start(month) + _KEPT
        self.table.put(
            {
                "pk": pk,
                "sk": sk,
                "instance_type": interval.instance_type,
                "purchase": interval.purchase,
                "node_group": interval.node_group,
                "begun": iso(interval.begun),
                **({} if interval.rate is None else {"rate": str(interval.rate)}),
                **({} if interval.ended is None else {"ended": iso(interval.ended)}),
            },
            "attribute_not_exists(pk)",
            numbers={EXPIRY_ATTRIBUTE: int(expires.timestamp())},
        )

    def _end(self, interval: Interval, month: str) -> None:
        assert interval.ended is not None
        self.table.update(
            *_key(interval, month),
            "SET ended = :ended",
            "attribute_exists(pk) AND (attribute_not_exists(ended) OR ended > :ended)",
            ended=iso(interval.ended),
        )


def _key(interval: Interval, month: str) -> tuple[str, str]:
    return ledger_key(month), f"{interval.what}#{iso(interval.begun)}"


def _interval(row: dict[str, str]) -> Interval:
    return Interval(
        what=row["sk"].partition("#")[0],
        begun=from_iso(row["begun"]),
        instance_type=row["instance_type"],
        purchase=row["purchase"],
        node_group=row["node_group"],
        rate=Decimal(row["rate"]) if "rate" in row else None,
        ended=from_iso(row["ended"]) if "ended" in row else None,
    )


def _at_once(call: Callable[[_T], _R], work: Collection[_T]) -> list[_R]:
    """Do a piece of work after the other, some at a time: five thousand writes take seconds."""
    if not work:
        return []
    with ThreadPoolExecutor(_WRITERS) as pool:
        return list(pool.map(call, work))
