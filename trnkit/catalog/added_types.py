"""Instance types beyond the catalogue's own, and newer facts about those, for this process.

A program adds types with `add_instance_types`; the loader of cluster files adds those that a file
describes with `add_described_types`. Both are found by name like the catalogue's own. What merely
describes a type of the catalogue never replaces it; what `trnkit catalog refresh` read, dated and
not older than the catalogue, does, except where AWS is known to be wrong. A cluster is judged and
built with the types of its own file only (`only_described_types`), so that what else is read in the
same process changes neither.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from trnkit.catalog.instance_types import catalogue_instance_type, further_types

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from trnkit.catalog.instance_types import InstanceType

_PROVENANCE = {"name", "disagreements", "source", "date"}
VARY_BY_REGION = {"usage_classes", "placement_strategies", "boot_modes"}
"""Facts that are words of which a Region may have fewer than another."""
REFRESHED = "catalog-refresh"
"""The first source of an entry that `trnkit catalog refresh` read from AWS."""
_of_files: set[str] = set()
"""Names that only cluster files brought."""


class InstanceTypeConflictError(ValueError):
    """Two descriptions of one instance type differ.

    Attributes:
        name: The instance type.
    """

    def __init__(self, name: str, conflict: str) -> None:
        """Keep the name; the message says in what they differ."""
        self.name = name
        super().__init__(f"{name} is described {conflict}")


def add_instance_types(entries: Iterable[InstanceType]) -> None:
    """Make instance types known to everything in this process, as if the catalogue had them.

    Adding the same entry again does nothing, and neither does adding one that says of a type in
    the catalogue what the catalogue says. All or none are added.

    Args:
        entries: For example from `trnkit.config.read_instance_types`.

    Raises:
        InstanceTypeConflictError: An entry contradicts the catalogue, or differs from what was
            added under its name before.
    """
    added = _add(entries)
    _of_files.difference_update(added)


def add_described_types(entries: Iterable[InstanceType]) -> None:
    """Like `add_instance_types`, for what one cluster file describes.

    Args:
        entries: What the file describes.

    Raises:
        InstanceTypeConflictError: As there.
    """
    known = set(further_types)
    _of_files.update(_add(entries) - known)


@contextmanager
def only_described_types(entries: Iterable[InstanceType]) -> Generator[None]:
    """Hide what other cluster files describe, until the end of the block.

    Args:
        entries: What the own file describes.
    """
    own = {entry.name: entry for entry in entries}
    foreign = {name for name in _of_files if further_types.get(name) != own.get(name)}
    hidden = {name: further_types.pop(name) for name in foreign if name in further_types}
    try:
        yield
    finally:
        further_types.update(hidden)


def refreshed_instance_type(described: InstanceType) -> InstanceType:
    """An entry that `trnkit catalog refresh` read, with what the catalogue knows better.

    For a type of the catalogue its own facts stay where the description is silent, and where
    sources are known to disagree. Words that depend on the Region are added and never taken away.

    Args:
        described: What AWS says, with the day on which it said so.
    """
    known = catalogue_instance_type(described.name)
    source = (REFRESHED, *(known.source if known else ()))
    if known is None:
        return replace(described, source=source)
    facts: dict[str, Any] = {}
    for field in fields(known):
        here = getattr(known, field.name)
        there = filled(getattr(described, field.name), here)
        if field.name in _PROVENANCE or field.name == "described_offerings":
            continue
        if is_disputed(known, field.name):
            continue
        if field.name in VARY_BY_REGION:
            there = tuple(sorted({*here, *there}))
        facts[field.name] = there
    offerings = described.described_offerings
    return replace(
        known, **facts, source=source, date=described.date, described_offerings=offerings
    )


def filled(there: Any, here: Any) -> Any:
    """A fact as it was read, with the catalogue's wherever it is left open, also inside.

    Args:
        there: What was read.
        here: What the catalogue says.
    """
    if there is None or there == ():
        return here
    if is_dataclass(there) and not isinstance(there, type) and type(there) is type(here):
        parts = {
            part.name: filled(getattr(there, part.name), getattr(here, part.name))
            for part in fields(there)
        }
        return replace(there, **parts)
    if isinstance(there, tuple) and isinstance(here, tuple) and len(there) == len(here):  # pyright: ignore[reportUnknownArgumentType]
        return tuple(map(filled, there, here))  # pyright: ignore[reportUnknownArgumentType]
    return there


def is_disputed(known: InstanceType, field: str) -> bool:
    """Whether sources are known to disagree on a fact, so that one more answer proves nothing."""
    return any(entry.field == field for entry in known.disagreements)


def _is_refreshed(entry: InstanceType) -> bool:
    return REFRESHED in entry.source


def conflict_of(entry: InstanceType) -> str | None:
    """Say in what an entry differs from what is known under its name; None when in nothing."""
    own = catalogue_instance_type(entry.name)
    if own is not None and not _is_refreshed(entry):
        there, differing = "than the catalogue", _contradictions(entry, own)
    else:
        other = further_types.get(entry.name, entry)
        there = "than in what was read before"
        differing = (
            [] if entry == other else _contradictions(entry, other) or ["what it leaves open"]
        )
    return f"otherwise {there}: {', '.join(differing)}" if differing else None


def _add(entries: Iterable[InstanceType]) -> set[str]:
    new = {}
    for entry in entries:
        conflict = conflict_of(entry)
        if conflict is None and new.setdefault(entry.name, entry) != entry:
            conflict = "twice, and not in the same way"
        if conflict is not None:
            raise InstanceTypeConflictError(entry.name, conflict)
    kept = {
        name: entry
        for name, entry in new.items()
        if _is_refreshed(entry) or catalogue_instance_type(name) is None
    }
    further_types.update(kept)
    return set(kept)


def _contradictions(entry: InstanceType, other: InstanceType) -> list[str]:
    """The facts in which they differ, with both values where those are short."""
    told: list[str] = []
    for field in fields(entry):
        here, there = getattr(entry, field.name), getattr(other, field.name)
        if field.name not in _PROVENANCE and _contradicts(here, there):
            short = isinstance(here, int | str) and isinstance(there, int | str)
            told.append(f"{field.name} {here}, not {there}" if short else field.name)
    return told


def _contradicts(here: Any, there: Any) -> bool:
    """Whether two facts differ; what `here` leaves open contradicts nothing."""
    if here is None or here == ():
        return False
    if is_dataclass(here) and type(here) is type(there):
        return any(
            _contradicts(getattr(here, field.name), getattr(there, field.name))
            for field in fields(here)
        )
    if isinstance(here, tuple) and isinstance(there, tuple) and len(here) == len(there):  # pyright: ignore[reportUnknownArgumentType]
        return any(map(_contradicts, here, there))  # pyright: ignore[reportUnknownArgumentType]
    return here != there
