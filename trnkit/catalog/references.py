"""Where the catalogue's facts come from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from trnkit.catalog.tables import table


@dataclass(frozen=True, slots=True)
class Source:
    """One place that facts were taken from.

    Attributes:
        key: The short name that the `source` of a fact refers to.
        title: What the source is.
        date: When its content was current: a year, a month or a day, as exact as is known.
        url: Where it is; None where the title says it.
    """

    key: str
    title: str
    date: str
    url: str | None = None


@cache
def sources() -> tuple[Source, ...]:
    """Return every source of the catalogue, in a stable order."""
    entries = table("sources")["sources"]
    return tuple(
        Source(key, entry["title"], entry["date"], entry.get("url"))
        for key, entry in entries.items()
    )


def find_source(key: str) -> Source | None:
    """Return the source with this key, or None when the catalogue has no such source."""
    return next((source for source in sources() if source.key == key), None)
