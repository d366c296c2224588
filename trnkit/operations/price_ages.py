"""Prices that nobody has compared with their source for long, given what day it is.

Only commands know the day: neither templates nor findings of `trnkit check` depend on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from trnkit.catalog.price_book import STALE_AFTER_DAYS
from trnkit.report.words import count_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.catalog.price_book import UnitPrice
    from trnkit.config.prices_file import PricesFile

_SHOWN = 3
_ZONES = timedelta(days=1)
"""Somewhere it is tomorrow already, in whose calendar a file was dated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceNote:
    """Something about the dates of prices that whoever reads an estimate should know.

    Attributes:
        message: What.
        hint: What to do.
    """

    message: str
    hint: str


def notes_about_ages(
    used: Iterable[UnitPrice | None], today: date, file: PricesFile | None = None
) -> tuple[PriceNote, ...]:
    """What is old, and what is dated in the future; the oldest first.

    Args:
        used: The prices that an estimate is made of; what is None has no price, and no age.
        today: The day.
        file: The cluster's file of prices, whose discount and prices have a date of their own.
    """
    prices = [price for price in used if price is not None]
    notes: list[PriceNote] = []
    by_date: dict[tuple[str, bool, tuple[str, ...]], dict[str, None]] = {}
    for price in prices:
        own = price.basis == "file"
        key = (price.date, own, price.source if own else ())
        by_date.setdefault(key, {})[price.item] = None
    for (day, own, source), items in sorted(by_date.items()):
        if note := _note(date.fromisoformat(day), today, list(items), own=own, source=source):
            notes.append(note)
    if file and file.discount and file.date and any(price.discount_percent for price in prices):
        notes += _about_discount(file.discount.percent, date.fromisoformat(file.date), today)
    return tuple(notes)


def _note(
    day: date, today: date, items: list[str], *, own: bool, source: tuple[str, ...]
) -> PriceNote | None:
    named = ", ".join(items[:_SHOWN]) + (", ..." if len(items) > _SHOWN else "")
    what = f"{count_of(len(items), 'price')} ({named})"
    whence = f" from {source[0]}" if own and source else " of the catalogue" if not own else ""
    if day > today + _ZONES:
        return PriceNote(
            message=f"{what}{whence}: the date, {day}, is in the future",
            hint="correct the date in the file, or the clock of this machine",
        )
    age = (today - day).days
    if age <= STALE_AFTER_DAYS:
        return None
    return PriceNote(
        message=f"{what}{whence}: last compared on {day}, {age} days ago",
        hint=_remedy(own=own, listed=bool(source) and source[0].startswith("AWS Price List")),
    )


def _remedy(*, own: bool, listed: bool) -> str:
    if own and not listed:
        return "compare them with what they are from, and write the new `date` in the file"
    return (
        "run `trnkit prices refresh --region REGION --output FILE` and name FILE in "
        "`budget.prices_file`"
    )


def _about_discount(percent: float, day: date, today: date) -> list[PriceNote]:
    age = (today - day).days
    if age <= STALE_AFTER_DAYS:
        return []
    return [
        PriceNote(
            message=f"the discount of {percent:g} % was last compared on {day}, {age} days ago",
            hint="compare it with the agreement, and write the new `date` in the file",
        )
    ]
