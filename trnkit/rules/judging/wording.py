"""How rules put values into words, so that all of them sound alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trnkit.catalog import InstanceType

MOST = 3
"""A message names at the most so many alternatives."""


def alternatives(values: Iterable[object], joint: str = "or") -> str:
    """Up to three values as `a, b or c`; of more than three it says how many there are."""
    texts = [str(value) for value in values]
    shown = texts[:MOST]
    text = f" {joint} ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))
    return text if len(texts) <= MOST else f"{text} ({MOST} of {len(texts)})"


def did_you_mean(close: Sequence[str], otherwise: str) -> str:
    """A hint that names the nearest right words, or what else to do when nothing is near."""
    return f"did you mean {alternatives(close)}?" if close else otherwise


def count(number: int, noun: str) -> str:
    """`1 interface`, `16 interfaces`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def from_catalogue(known: InstanceType, fact: str) -> str:
    """Evidence: a fact of an instance type and the day it was last compared with its source."""
    if known.date is None:
        return f"its description, {known.name}: {fact}"
    return f"catalogue, {known.name}: {fact} ({known.date})"
