"""A discount that an organization has agreed with AWS, on list prices."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trnkit.catalog.price_book import UnitPrice

_NEVER = ("capacity-block", "spot")
"""Ways to buy whose prices are no list prices: they are told when they are asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreedDiscount:
    """So many per cent off whatever it covers.

    Attributes:
        percent: Per cent, more than 0; a file has 90 at most.
        not_on: Items and instance types that it does not cover.
        source: What it is from, in the words of its file.
    """

    percent: float
    not_on: frozenset[str] = frozenset()
    source: str = ""

    def covers(self, item: str) -> bool:
        """Whether it counts for what is sold under a key of the price book."""
        name, _, purchase = item.partition(" ")
        return purchase not in _NEVER and self.not_on.isdisjoint((item, name))

    def taken_off(self, price: UnitPrice) -> UnitPrice:
        """The price that is paid; what is not covered stays as it is."""
        if not self.covers(price.item):
            return price
        share = (100 - self.percent) / 100
        return replace(
            price,
            low=_rounded(price.low * share),
            high=_rounded(price.high * share),
            discount_percent=self.percent,
            discount_source=self.source,
        )


def _rounded(dollars: float) -> float:
    """Without the digits that only binary fractions have."""
    return float(f"{dollars:.12g}")
