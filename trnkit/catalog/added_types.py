"""Instance types beyond the catalogue's own, for this process.

A program adds types with `add_instance_types`; the loader of cluster files adds those that a file
describes with `add_described_types`. Both are found by name like the catalogue's own, which they
never replace. A cluster is judged with the types of its own file only (`only_described_types`), so
that what else is read in the same process changes no verdict.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from trnkit.catalog.instance_types import catalogue_instance_type, further_types

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from trnkit.catalog.instance_types import InstanceType

_PROVENANCE = {"name", "disagreements", "source", "date"}
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
    foreign = _of_files - {entry.name for entry in entries}
    hidden = {name: further_types.pop(name) for name in foreign if name in further_types}
    try:
        yield
    finally:
        further_types.update(hidden)


def conflict_of(entry: InstanceType) -> str | None:
    """Say in what an entry differs from what is known under its name; None when in nothing."""
    own = catalogue_instance_type(entry.name)
    if own is not None:
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
    kept = {name: entry for name, entry in new.items() if catalogue_instance_type(name) is None}
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
