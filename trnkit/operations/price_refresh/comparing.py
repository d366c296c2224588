"""Compares what AWS lists with the catalogue that trnkit ships."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trnkit.catalog.price_book import PriceBook
from trnkit.rules.judging.price_distance import is_far_from

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.catalog.price_book import UnitPrice
    from trnkit.operations.price_refresh.asking import AskedPrice

Outcome = Literal["same", "changed", "new", "odd", "not listed", "several prices"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceComparison:
    """One price, in the catalogue and now.

    Attributes:
        asked: What AWS said.
        known: What the catalogue says; None when no source shows a price anywhere.
        outcome: `new`: the catalogue has none for that Region. `odd`: so far from the catalogue
            that it is the price of something else, or of another unit; it is not taken.
    """

    asked: AskedPrice
    known: UnitPrice | None
    outcome: Outcome

    @property
    def taken(self) -> bool:
        """Whether it goes into the file."""
        return self.outcome in ("same", "changed", "new")

    @property
    def percent(self) -> float | None:
        """By how much AWS's price differs from the catalogue's; None where that is not one."""
        if self.asked.usd is None or self.known is None or self.known.low != self.known.high:
            return None
        return (self.asked.usd / self.known.low - 1) * 100


def compare_prices(prices: Iterable[AskedPrice]) -> tuple[PriceComparison, ...]:
    """Compare each price with the catalogue, no file before it.

    Args:
        prices: What AWS said.
    """
    book = PriceBook()
    return tuple(_compare(asked, book) for asked in prices)


def _compare(asked: AskedPrice, book: PriceBook) -> PriceComparison:
    name, _, purchase = asked.item.partition(" ")
    known = (
        book.instance(name, asked.region, "on-demand")
        if purchase
        else book.service(asked.item, asked.region)
    )
    return PriceComparison(asked=asked, known=known, outcome=_outcome(asked, known))


def _outcome(asked: AskedPrice, known: UnitPrice | None) -> Outcome:
    if asked.status != "listed" or asked.usd is None:
        return "several prices" if asked.status == "several prices" else "not listed"
    if known is None:
        return "new"
    if is_far_from(asked.usd, known):
        return "odd"
    if known.basis != "region":
        return "new"
    same = known.low == known.high and math.isclose(asked.usd, known.low, rel_tol=1e-9)
    return "same" if same else "changed"
