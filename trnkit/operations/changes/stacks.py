"""Stacks of both sides: which is which, and what it means that one has gone or moved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trnkit.operations.changes.data_types import HOLDS, KEYS, may_hold
from trnkit.operations.changes.lifecycle import removed
from trnkit.operations.changes.node_types import NODES
from trnkit.operations.changes.opaque import is_opaque
from trnkit.report.change_results import Change, Effect, Verdict, worst_first
from trnkit.report.words import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trnkit.operations.changes.pairs import Side
    from trnkit.operations.template_files import TemplateFile

_ALIKE = 0.5


@dataclass(eq=False, slots=True, kw_only=True)
class Stack:
    """One stack of one side.

    Attributes:
        name: Its name; the file's where templates stand alone.
        side: Its template.
        file: The parsed file, which knows where each key stands.
        shown_file: The file as a reader can open it; None when it is gone after the comparison.
        region: Its Region; None when it is made for any.
        account: Its account; None when it is made for any.
        protected: Whether its termination is protected; None when that is not known.
    """

    name: str
    side: Side
    file: TemplateFile
    shown_file: str | None
    region: str | None = None
    account: str | None = None
    protected: bool | None = None

    @property
    def place(self) -> tuple[str | None, str | None]:
        """Account and Region."""
        return self.account, self.region

    def placed(self, change: Change, pointer: str) -> Change:
        """A change with the place of a key of the template, where there is a file to open."""
        mark = self.file.locate(pointer) if self.shown_file else None
        line, column = (mark.line, mark.column) if mark else (None, None)
        return replace(change, file=self.shown_file, line=line, column=column)


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which stacks of both sides are the same.

    Attributes:
        both: Those on both sides.
        moved: Those that are on both sides under another name, or in another account or Region.
        gone: Those that are in the old set only.
        come: Those that are in the new set only.
    """

    both: tuple[tuple[Stack, Stack], ...]
    moved: tuple[tuple[Stack, Stack], ...]
    gone: tuple[Stack, ...]
    come: tuple[Stack, ...]


def pair_stacks(old: Sequence[Stack], new: Sequence[Stack], *, are_single: bool) -> Pairing:
    """Find the same stacks.

    Args:
        old: The old stacks.
        new: The new ones.
        are_single: Whether each side is one template that was named, whatever it is called.
    """
    if are_single:
        return Pairing(tuple(zip(old, new, strict=True)), (), (), ())
    both: list[tuple[Stack, Stack]] = []
    moved: list[tuple[Stack, Stack]] = []
    left = list(new)
    gone: list[Stack] = []
    for stack in old:
        named = [other for other in left if other.name == stack.name]
        near = next((other for other in named if _same_place(stack, other)), None)
        if near is not None:
            both.append((stack, near))
            left.remove(near)
        else:
            gone.append(stack)
    for stack in [*gone]:
        other = _most_alike(stack, left)
        if other is not None:
            moved.append((stack, other))
            left.remove(other)
            gone.remove(stack)
    return Pairing(tuple(both), tuple(moved), tuple(gone), tuple(left))


def _same_place(one: Stack, other: Stack) -> bool:
    return all(
        a is None or b is None or a == b for a, b in zip(one.place, other.place, strict=True)
    )


def _most_alike(stack: Stack, others: list[Stack]) -> Stack | None:
    """The other stack with most of the same resources, or the one of the same name elsewhere."""
    best, most = None, _ALIKE
    mine = _identities(stack)
    for other in others:
        theirs = _identities(other)
        alike = len(mine & theirs) / max(1, len(mine | theirs))
        alike += other.name == stack.name
        if alike > most:
            best, most = other, alike
    return best


def _identities(stack: Stack) -> set[tuple[str, str]]:
    return {(logical_id, r.type) for logical_id, r in stack.side.resources().items()}


def moved_stack(old: Stack, new: Stack) -> Change:
    """A stack under another name or in another place: all of it is made again."""
    if old.place != new.place and not _same_place(old, new):
        what = f"it moves from {_place(old)} to {_place(new)}"
    else:
        what = f"its name changes from {old.name} to {new.name}"
    types = [resource.type for resource in old.side.resources().values()]
    held = list(dict.fromkeys(HOLDS[k] for k in types if k in HOLDS and k not in KEYS))
    stays = "the old stack stays as it is, and is charged for, until somebody deletes it"
    if held:
        effect = Effect(
            verdict=Verdict.DESTROYS_DATA,
            message=f"{what}: a new stack is made with none of the {_listed(held)}; the data will "
            f"not move; {stays}",
            hint=f"keep the name ({old.name}) and the place, or copy the data first",
            data="stays behind",
        )
    else:
        ends = any(kind in NODES for kind in types)
        unknown = next((kind for kind in types if is_opaque(kind) or may_hold(kind)), None)
        verdict = Verdict.REPLACES_NODES if ends else Verdict.REPLACES
        whether = f"; what is in {unknown} will not move, if it holds data" if unknown else ""
        effect = Effect(
            verdict=Verdict.CANNOT_BE_TOLD if unknown else verdict,
            message=f"{what}: a new stack is made; {stays}{whether}",
            hint="keep the name and the place, or delete the old stack when nothing uses it",
        )
    return Change(kind="moved", stack=old.name, effects=(effect,), file=new.shown_file)


def gone_stack(stack: Stack) -> Change:
    """A stack that is no longer there: deployed it stays, until somebody deletes it."""
    resources = [*stack.side.resources().values()]
    inside = worst_first([removed(resource) for resource in resources])
    begin = "it is not in the new set; deployed it stays, and is charged for, until it is deleted"
    guard = "; its termination is protected" if stack.protected else ""
    first = Effect(
        verdict=inside[0].verdict if inside else Verdict.REPLACES,
        message=f"{begin}{guard}. A deletion: {_summary(stack, inside)}",
        hint=inside[0].hint if inside else None,
        source=inside[0].source if inside else None,
        data=inside[0].data if inside else None,
    )
    return Change(kind="removed", stack=stack.name, effects=(first,), file=stack.shown_file)


def come_stack(stack: Stack) -> Change:
    """A stack that is new."""
    number = count_of(len(stack.side.resources()), "resource")
    effect = Effect(verdict=Verdict.SAFE, message=f"a new stack with {number}")
    return Change(kind="added", stack=stack.name, effects=(effect,), file=stack.shown_file)


def _summary(stack: Stack, inside: Sequence[Effect]) -> str:
    if not inside:
        return "there is nothing in it"
    worst = inside[0]
    ids = [k for k, r in stack.side.resources().items() if removed(r).message == worst.message]
    more = f" and {len(ids) - 1} more" if len(ids) > 1 else ""
    return f"{ids[0]}{more}: {worst.message}"


def _place(stack: Stack) -> str:
    return "/".join(part or "any" for part in stack.place)


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def protection(old: Stack, new: Stack) -> Iterator[Change]:
    """Termination protection that is switched."""
    if old.protected is None or new.protected is None or old.protected == new.protected:
        return
    message = "weaker protection: the stack can be deleted with one command from then on"
    if new.protected:
        message = "its termination is protected from then on"
    effect = Effect(verdict=Verdict.SAFE, message=message)
    yield Change(kind="changed", stack=new.name, effects=(effect,), file=new.shown_file)
