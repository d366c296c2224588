"""Prices that are so far apart that one of them is of another unit, or of something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trnkit.catalog.price_book import UnitPrice

FACTOR = 10
"""No Region is ten times as dear as another, and nobody negotiates nine tenths off."""


def is_far_from(dollars: float, price: UnitPrice) -> bool:
    """Whether an amount is more than ten times, or less than a tenth of, a known price.

    Args:
        dollars: US dollars for one unit.
        price: The known price, from its lowest to its highest.
    """
    return not price.low / FACTOR <= dollars <= price.high * FACTOR
