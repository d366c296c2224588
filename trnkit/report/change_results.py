"""What `trnkit diff` says: classes of changes, effects, and the report they make up."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

Kind = Literal["added", "removed", "changed", "replaced", "moved"]
Data = Literal["lost", "stays behind"]


class Verdict(StrEnum):
    """What a change does, worst first."""

    DESTROYS_DATA = "destroys-data"
    CANNOT_BE_TOLD = "cannot-be-told"
    REFUSED = "refused"
    REPLACES_NODES = "replaces-nodes"
    REPLACES = "replaces"
    INTERRUPTS = "interrupts"
    SAFE = "safe"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Verdict).index(self)

    @property
    def words(self) -> str:
        """As a reader says it."""
        return self.value.replace("-", " ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One thing that a change does, or that keeps it from being made.

    Attributes:
        verdict: How bad that is.
        message: What happens.
        hint: What to do instead, in the imperative.
        source: The page that says so.
        replaces: Whether CloudFormation makes another resource for it.
        data: What becomes of data: lost, or left in what CloudFormation keeps; None for neither.
    """

    verdict: Verdict
    message: str
    hint: str | None = None
    source: str | None = None
    replaces: bool = False
    data: Data | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyChange:
    """One value that differs.

    Attributes:
        path: Where, as `LustreConfiguration.DeploymentType`.
        old: What it was, shortened; None when it was absent.
        new: What it is, shortened; None when it is absent now.
        verdict: What this value alone does.
        indirect: Whether the template's text is the same and what it refers to changes.
        replaces: Whether CloudFormation makes another resource for it.
    """

    path: str
    old: str | None
    new: str | None
    verdict: Verdict
    indirect: bool = False
    replaces: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of a stack, most often of a resource.

    Attributes:
        kind: Added, removed, changed in place, replaced, or moved to another logical id.
        stack: The stack's name; the file's where templates stand alone.
        effects: What it does, worst first; never empty.
        logical_id: The resource, output or parameter; None for a stack as a whole.
        type: The resource's type.
        properties: The values that differ.
        file: The template.
        line: Where in it; in the old one for what was removed.
        column: Where in the line.
    """

    kind: Kind
    stack: str
    effects: tuple[Effect, ...]
    logical_id: str | None = None
    type: str | None = None
    properties: tuple[PropertyChange, ...] = ()
    file: str | None = None
    line: int | None = None
    column: int | None = None

    @property
    def verdict(self) -> Verdict:
        """The worst of the effects."""
        return self.effects[0].verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyChange:
    """A key of the cluster file that differs.

    Attributes:
        path: The YAML path in the new file, or in the old one for what was removed.
        old: The old value, shortened; None when the key is new.
        new: The new value, shortened; None when the key is gone.
        file: The file it stands in.
        line: Its line there.
        column: Its column there.
    """

    path: str
    old: str | None
    new: str | None
    file: str
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeReport:
    """What a comparison found.

    Attributes:
        old: What was named first.
        new: What was named second.
        inputs: What both are: cluster files, templates, folders or cloud assemblies.
        changes: Worst first.
        keys: Differing keys, of two cluster files.
        notes: What a comparison cannot show and a reader should know.
    """

    old: str
    new: str
    inputs: str
    changes: tuple[Change, ...]
    keys: tuple[KeyChange, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def worst(self) -> Verdict | None:
        """The class of the worst change; None when there is no change."""
        return min((c.verdict for c in self.changes), key=lambda v: v.rank, default=None)

    def reaches(self, limit: Verdict) -> bool:
        """Whether a change is of that class or a worse one."""
        return self.worst is not None and self.worst.rank <= limit.rank

    def counts(self) -> dict[Verdict, int]:
        """Number of changes of each class, worst first, without those that have none."""
        counts = dict.fromkeys(Verdict, 0)
        for change in self.changes:
            counts[change.verdict] += 1
        return {verdict: number for verdict, number in counts.items() if number}


def worst_first(effects: Iterable[Effect]) -> tuple[Effect, ...]:
    """Effects in the order of a report, each once."""
    return tuple(sorted(dict.fromkeys(effects), key=lambda effect: effect.verdict.rank))
