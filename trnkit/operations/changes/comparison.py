"""Two sets of stacks compared, as values: which stack is which, and every change judged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trnkit.operations.changes.exports import imports_of
from trnkit.operations.changes.moves import find_successions
from trnkit.operations.changes.parameters import looked_up
from trnkit.operations.changes.stack_changes import (
    StackChanges,
    come_resource,
    gone_resource,
    moved_resource,
)
from trnkit.operations.changes.stacks import come_stack, gone_stack, moved_stack, pair_stacks
from trnkit.operations.changes.unread import macros_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trnkit.operations.changes.moves import Placed
    from trnkit.operations.changes.stacks import Stack
    from trnkit.report.change_results import Change


@dataclass(frozen=True, slots=True)
class Comparison:
    """Changes, worst first, and what a comparison cannot show."""

    changes: tuple[Change, ...]
    notes: tuple[str, ...]


def compare_stacks(
    old: Sequence[Stack], new: Sequence[Stack], *, are_single: bool = False
) -> Comparison:
    """Judge what an update from one set of stacks to another does.

    Args:
        old: What is deployed.
        new: What would be deployed.
        are_single: Whether each side is one template, which is the same stack whatever its name.
    """
    if are_single:  # one stack, whatever its two files are called
        old = [replace(old[0], name=new[0].name)]
    changes = [*_changes(old, new, are_single=are_single)]
    changes.sort(key=lambda change: change.verdict.rank)
    notes = dict.fromkeys(note for stack in new for note in (*looked_up(stack), *macros_of(stack)))
    return Comparison(tuple(changes), tuple(notes))


def _changes(old: Sequence[Stack], new: Sequence[Stack], *, are_single: bool) -> Iterator[Change]:
    pairing = pair_stacks(old, new, are_single=are_single)
    for before, after in pairing.moved:
        yield moved_stack(before, after)
    for stack in pairing.gone:
        yield gone_stack(stack)
    for stack in pairing.come:
        yield come_stack(stack)
    imported = {stack.name: imports_of(stack) for stack in old} if len(old) > 1 else {}
    gone: list[Placed] = []
    come: list[Placed] = []
    compared = [StackChanges(before, after) for before, after in pairing.both]
    # Stacks that read outputs of others are in no known order: a round for each that may follow.
    known: set[tuple[str, str]] = set()
    for _ in compared:
        outputs = {output for found in compared for output in found.stale_outputs()}
        if outputs <= known:
            break
        known = outputs
        for found in compared:
            found.follow(outputs)
    for found in compared:

        def importers(name: str, exporter: str = found.old.name) -> list[str]:
            return [user for user, names in imported.items() if name in names and user != exporter]

        yield from found.changes(importers)
        gone += found.gone
        come += found.come
    refused = {key: effects for f in compared for key, effects in f.refusals().items()}
    successions = [*find_successions(gone, come)]
    moved = [found for found in successions if not found.changed]
    for found in moved:
        yield moved_resource(found.old, found.new, refused.get(id(found.new), ()))
    elsewhere = {id(placed) for found in moved for placed in (found.old, found.new)}
    followed = {id(found.old): found for found in successions}
    for placed in gone:
        if id(placed) not in elsewhere:
            yield gone_resource(placed, followed.get(id(placed)))
    for placed in come:
        if id(placed) not in elsewhere:
            yield come_resource(placed, refused.get(id(placed), ()))
