"""Two versions of one stack: every resource that differs, judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.operations.changes import lifecycle, moves
from trnkit.operations.changes.collisions import COLLIDING, Beside, beside_replaced, refusals
from trnkit.operations.changes.exports import judge_outputs, stale_outputs
from trnkit.operations.changes.knowledge import judge_property, judge_whole
from trnkit.operations.changes.normal_form import references
from trnkit.operations.changes.opaque import is_made_by_macro, what_becomes_of_macros
from trnkit.operations.changes.pairs import ResourcePair, value_at
from trnkit.operations.changes.parameters import judge_parameters
from trnkit.operations.changes.propagation import Stale
from trnkit.operations.changes.protections import judge_attributes
from trnkit.operations.changes.showing import shown_pair, shown_path
from trnkit.operations.changes.stacks import protection
from trnkit.operations.changes.unread import judge_the_rest
from trnkit.report.change_results import Change, Effect, PropertyChange, Verdict, worst_first

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from trnkit.operations.changes.moves import Placed, Succession
    from trnkit.operations.changes.normal_form import Form
    from trnkit.operations.changes.pairs import Side
    from trnkit.operations.changes.registry import Path
    from trnkit.operations.changes.stacks import Stack
    from trnkit.rules.stack_set import Resource

_TYPE_PAGE = (
    "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/"
    "using-cfn-updating-stacks-update-behaviors.html"
)


class StackChanges:
    """What differs between two versions of one stack.

    Attributes:
        old: The old version.
        new: The new one.
        gone: Resources that are in the old one only.
        come: Resources that are in the new one only.
    """

    def __init__(self, old: Stack, new: Stack) -> None:
        """Compare all resources; judging comes with `changes`."""
        self.old = old
        self.new = new
        before, after = old.side.resources(), new.side.resources()
        self.gone: list[Placed] = [
            (old, old.side, resource) for key, resource in before.items() if key not in after
        ]
        self.come: list[Placed] = [
            (new, new.side, resource) for key, resource in after.items() if key not in before
        ]
        self._pairs: dict[str, ResourcePair] = {}
        self._retyped: list[tuple[Resource, Resource]] = []
        for key in before.keys() & after.keys():
            if before[key].type != after[key].type:
                self._retyped.append((before[key], after[key]))
            else:
                self._pairs[key] = ResourcePair(old.side, new.side, before[key], after[key])
        for pair in self._pairs.values():
            pair.compare()
        self._stale = Stale(self._pairs)

    def stale_outputs(self) -> set[tuple[str, str]]:
        """Stack and name of the outputs that have another value after the update."""
        return stale_outputs(self.old, self.new, self._stale.concerns)

    def follow(self, outputs: set[tuple[str, str]]) -> None:
        """Take in which outputs of other stacks have another value (`Fn::GetStackOutput`)."""
        if not outputs <= self._stale.outputs:
            self._stale.outputs |= outputs
            self._stale.spread()

    def changes(self, importers: Callable[[str], Sequence[str]]) -> Iterator[Change]:
        """The changes but for resources that came or went, which may be moves between stacks.

        Args:
            importers: The other stacks of the old set that import a name.
        """
        yield from protection(self.old, self.new)
        yield from judge_parameters(self.old, self.new)
        yield from judge_the_rest(self.old, self.new)
        for before, after in self._retyped:
            yield _retyped(self.new, before, after)
        for key in self.new.side.resources():
            if key in self._pairs:
                yield from self._change_of(self._pairs[key])
        yield from judge_outputs(self.old, self.new, importers, self._stale.concerns)

    def refusals(self) -> dict[int, list[Effect]]:
        """By `id` of those that come: what keeps them from being made beside those that go."""
        going: dict[str, list[Mapping[str, Form]]] = {}
        names: set[tuple[str, str | None]] = set()
        for _, side, resource in self.gone:
            going.setdefault(resource.type, []).append(side.properties(resource.logical_id))
            names.add((resource.type, moves.own_name(side, resource)))
        found: dict[int, list[Effect]] = {}
        for placed in self.come:
            _, side, resource = placed
            others = going.get(resource.type, [])[: moves.MOST]
            effects = [*self._refused(side, resource, others)]
            name = moves.own_name(side, resource)
            if name is not None and (resource.type, name) in names and not effects:
                effects.append(moves.name_taken(name))
            found[id(placed)] = effects
        return found

    def _refused(
        self, side: Side, new: Resource, others: Sequence[Mapping[str, Form]]
    ) -> Iterator[Effect]:
        if new.type not in COLLIDING:
            return
        form = side.properties(new.logical_id)

        def becomes_other(path: Path) -> bool:
            return any(map(self._stale.touches, references(value_at(dict(form), *path))))

        for old in others:
            yield from refusals(Beside(new.type, old, form, side, becomes_other))

    def _change_of(self, pair: ResourcePair) -> Iterator[Change]:
        found = [(d, judge_property(pair, d)) for d in pair.differences]
        is_replaced = any(effect.replaces for _, effect in found)
        # What another resource starts with from the beginning is no change of it.
        effects = [effect for _, effect in found if effect.replaces or not is_replaced]
        properties: list[PropertyChange] = []
        for difference, effect in found:
            before, after = (None, None) if difference.indirect else shown_pair(difference)
            properties.append(
                PropertyChange(
                    path=shown_path(difference.path),
                    old=before,
                    new=after,
                    verdict=effect.verdict,
                    indirect=difference.indirect,
                    replaces=effect.replaces,
                )
            )
        if is_replaced:
            effects += _of_replacement(pair)
        effects += judge_whole(pair)
        for change, effect in judge_attributes(pair):
            properties.append(change)
            effects.append(effect)
        if not effects:
            return
        pointers = ["/Properties" + "".join(f"/{part}" for part in d.path) for d, _ in found]
        first = next(iter(pointers), f"/{properties[0].path}")
        stack, resource = self.new, pair.new
        if found and found[0][0].new is None:
            stack, resource = self.old, pair.old
        change = Change(
            kind="replaced" if is_replaced else "changed",
            stack=self.new.name,
            logical_id=resource.logical_id,
            type=resource.type,
            effects=worst_first(effects),
            properties=tuple(properties),
        )
        yield stack.placed(change, f"/Resources/{resource.logical_id}{first}")


def _of_replacement(pair: ResourcePair) -> Iterator[Effect]:
    consequence = lifecycle.replaced(pair.old, pair.new)
    if consequence is not None:
        yield consequence
    refused = [*beside_replaced(pair)]
    yield from refused
    name = moves.own_name(pair.after, pair.new)
    # What identifies an attachment are the two that it joins, of which more can be told.
    if not refused and name is not None and name == moves.own_name(pair.before, pair.old):
        yield moves.name_taken(name)


def _retyped(stack: Stack, before: Resource, after: Resource) -> Change:
    of_macros = next((r.type for r in (before, after) if is_made_by_macro(r.type)), None)
    effect = Effect(
        verdict=Verdict.REFUSED,
        message=f"its type changes from {before.type} to {after.type}: CloudFormation refuses",
        hint="give the new resource a logical id of its own",
        source=_TYPE_PAGE,
    )
    change = Change(
        kind="changed",
        stack=stack.name,
        logical_id=after.logical_id,
        type=after.type,
        effects=(what_becomes_of_macros(of_macros) if of_macros else effect,),
    )
    return stack.placed(change, f"/Resources/{after.logical_id}/Type")


def moved_resource(old: Placed, new: Placed, refused: Iterable[Effect] = ()) -> Change:
    """A resource under another logical id, with what keeps it from being made there."""
    stack, _, resource = new
    change = Change(
        kind="moved",
        stack=old[0].name,
        logical_id=old[2].logical_id,
        type=resource.type,
        effects=moves.effects_of_move(old, new, refused),
    )
    return stack.placed(change, f"/Resources/{resource.logical_id}")


def gone_resource(placed: Placed, succession: Succession | None = None) -> Change:
    """A resource that leaves its stack, with the one that seems to come in its place."""
    stack, _, resource = placed
    effect = moves.effect_of_leaving(succession) if succession else lifecycle.removed(resource)
    change = Change(
        kind="removed",
        stack=stack.name,
        logical_id=resource.logical_id,
        type=resource.type,
        effects=(effect,),
    )
    return stack.placed(change, f"/Resources/{resource.logical_id}")


def come_resource(placed: Placed, refused: Iterable[Effect] = ()) -> Change:
    """A resource that is new, with what keeps it from being made."""
    stack, _, resource = placed
    change = Change(
        kind="added",
        stack=stack.name,
        logical_id=resource.logical_id,
        type=resource.type,
        effects=worst_first(refused) or (Effect(verdict=Verdict.SAFE, message="it is made"),),
    )
    return stack.placed(change, f"/Resources/{resource.logical_id}")
