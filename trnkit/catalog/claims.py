"""What is said in public about prices and peaks, and why figures here differ."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from trnkit.catalog.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceClaim:
    """A public figure that differs from what sources here give, or cannot be checked by them.

    Attributes:
        key: Its name in this project.
        words: What is claimed, in our own words.
        subject: Families of instances that it is about.
        others: Families that it compares them with; empty where it compares nothing.
        least: How many times the work a dollar is said to buy, at least; None where it says no
            such thing. `up to` begins at 1.
        most: The same, at most.
        conditions: Of what it is said, as far as its source tells.
        explanation: What it probably is, and why figures here differ.
        source: Keys of the sources, of the claim and of what is put beside it.
        date: Day the entry was last compared with its sources.
    """

    key: str
    words: str
    subject: tuple[str, ...]
    others: tuple[str, ...]
    least: float | None
    most: float | None
    conditions: str
    explanation: str
    source: tuple[str, ...]
    date: str


@cache
def price_claims() -> tuple[PriceClaim, ...]:
    """Return the claims that people meet when they compare prices."""
    return tuple(PriceClaim(**entry) for entry in table("price_claims")["claims"])
