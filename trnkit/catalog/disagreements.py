"""Where sources of the catalogue disagree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A fact on which two sources differ.

    Attributes:
        field: The attribute of the fact that carries it.
        value_here: What the catalogue says.
        other_value: What the other source says; None when that source is silent.
        other_source: The key of the other source.
        note: Why the catalogue says what it says.
    """

    field: str
    value_here: object
    other_value: object
    other_source: str
    note: str


def disagreements_from(entries: tuple[dict[str, Any], ...]) -> tuple[Disagreement, ...]:
    """Return the disagreements that one entry of a table lists."""
    return tuple(Disagreement(**entry) for entry in entries)
