"""Resources under another logical id: to CloudFormation one goes and another comes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from trnkit.operations.changes.data_types import HOLDS, KEYS, policies_of
from trnkit.operations.changes.lifecycle import removed
from trnkit.operations.changes.lustre import ASSOCIATION
from trnkit.operations.changes.node_types import CAPACITY, NODES
from trnkit.operations.changes.normal_form import Form, Reference, Text, children, key_of
from trnkit.operations.changes.pairs import value_at
from trnkit.operations.changes.registry import find_schema
from trnkit.report.change_results import Effect, Verdict, worst_first

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.operations.changes.pairs import Side
    from trnkit.operations.changes.registry import Path
    from trnkit.operations.changes.stacks import Stack
    from trnkit.rules.stack_set import Resource

Placed: TypeAlias = "tuple[Stack, Side, Resource]"
_Leaf: TypeAlias = "tuple[Path, str]"
_Ids: TypeAlias = "Mapping[str, Set[str]]"
_Known: TypeAlias = "tuple[Placed, frozenset[_Leaf], frozenset[_Leaf]]"
"""A resource with its values, and those of them that are no tags."""

_ALIKE = 0.75
MOST = 400
"""So many of a type are compared with each other; more would take time with their square."""
_NAMED_BY: dict[str, tuple[str, ...]] = {
    "AWS::Budgets::Budget": ("Budget", "BudgetName"),
    "AWS::EC2::LaunchTemplate": ("LaunchTemplateName",),
    "AWS::EC2::SecurityGroup": ("GroupName",),
}
"""The name of a type whose identifier is an id that AWS makes."""
_HINT = (
    "keep the logical id (override_logical_id in the CDK), or move it with `cdk refactor` or "
    "`aws cloudformation create-stack-refactor`, which change nothing of the resource"
)
_PAGE = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/stack-refactoring.html"


@dataclass(frozen=True, slots=True)
class Succession:
    """A resource that goes, and the one of its type that seems to come in its place.

    Attributes:
        old: The one that goes.
        new: The one that comes.
        changed: Properties that differ, apart from tags; without any it is a mere move.
        makes_new: Whether one of them is fixed when a resource is made.
    """

    old: Placed
    new: Placed
    changed: tuple[str, ...] = ()
    makes_new: bool = False


def find_successions(gone: Sequence[Placed], come: Sequence[Placed]) -> Iterator[Succession]:
    """Pairs of a removed and an added resource that are the same, or much alike."""
    kinds = {resource.type for _, _, resource in come}
    staying = _staying(gone, come)
    for kind in dict.fromkeys(resource.type for _, _, resource in gone):
        if kind in kinds:
            before = [_known(placed, staying) for placed in gone if placed[2].type == kind]
            after = [_known(placed, staying) for placed in come if placed[2].type == kind]
            yield from _same(before, after)
            yield from _most_alike(before[:MOST], after[:MOST])


def _same(before: list[_Known], after: list[_Known]) -> Iterator[Succession]:
    """Those with the very same properties, which are taken out of the lists."""
    waiting: dict[frozenset[_Leaf], list[_Known]] = {}
    for known in after:
        waiting.setdefault(known[1], []).append(known)
    for known in [*before]:
        if waiting.get(known[1]):
            other = waiting[known[1]].pop(0)
            before.remove(known)
            after.remove(other)
            yield Succession(known[0], other[0])


def _most_alike(before: list[_Known], after: list[_Known]) -> Iterator[Succession]:
    """The rest, first those that differ in tags only, then by how much they have in common."""
    scores = [
        (bool(a[2]) and a[2] == b[2], _alike(a[1], b[1]), number, a, b)
        for number, (a, b) in enumerate((a, b) for a in before for b in after)
    ]
    taken: set[int] = set()
    for retagged, score, _, a, b in sorted(
        scores, key=lambda found: (-found[0], -found[1], found[2])
    ):
        if (retagged or score >= _ALIKE) and id(a) not in taken and id(b) not in taken:
            taken |= {id(a), id(b)}
            yield _succession(a, b)


def _succession(one: _Known, other: _Known) -> Succession:
    paths = sorted({path for path, _ in one[2] ^ other[2]}, key=str)
    resource = other[0][2]
    schema = find_schema(resource.type, other[0][1].template.region)
    return Succession(
        one[0],
        other[0],
        changed=tuple(dict.fromkeys(str(path[0]) for path in paths)),
        makes_new=schema is not None and any(schema.is_create_only(path) for path in paths),
    )


def _is_tag(path: Path) -> bool:
    return any(str(part).endswith(("Tags", "TagSpecifications")) for part in path)


def _staying(gone: Sequence[Placed], come: Sequence[Placed]) -> _Ids:
    """By stack, the logical ids that do not move: what refers to another one differs."""
    before, after = (
        {stack.name: {*side.resources()} for stack, side, _ in s} for s in (gone, come)
    )
    return {name: ids & after[name] for name, ids in before.items() if name in after}


def _known(placed: Placed, staying: _Ids) -> _Known:
    stack, side, resource = placed
    ids = staying.get(stack.name, frozenset())
    leaves = frozenset(_walk(dict(side.properties(resource.logical_id)), (), side, ids))
    return placed, leaves, frozenset(leaf for leaf in leaves if not _is_tag(leaf[0]))


def _walk(form: Form, path: Path, side: Side, staying: Set[str]) -> Iterator[_Leaf]:
    """Values with their places; a reference to what moves too by the type that it leads to."""
    if isinstance(form, Reference) and form.logical_id not in staying:
        target = side.template.resources.get(form.logical_id)
        yield path, f"{target.type if target else form.logical_id}.{form.attribute}"
    elif isinstance(form, dict | list | Text):
        for key, value in children(form):
            yield from _walk(value, (*path, key), side, staying)
    else:
        yield path, key_of(form)


def _alike(one: frozenset[_Leaf], other: frozenset[_Leaf]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0


def effects_of_move(old: Placed, new: Placed, refused: Iterable[Effect]) -> tuple[Effect, ...]:
    """What it does that a resource stands under another logical id.

    Args:
        old: The resource that goes.
        new: The same under another logical id.
        refused: What keeps it from being made while others are there.
    """
    before, after = old[2], new[2]
    where = "" if old[0].name == new[0].name else f" of stack {new[0].name}"
    fate = policies_of(before).deletion
    end = "leaves this one outside the stack" if fate == "kept" else "deletes this one"
    begin = (
        f"its logical id moves to {after.logical_id}{where}: CloudFormation makes another and {end}"
    )
    effects = [replace(effect, hint=_HINT) for effect in refused]
    held = HOLDS.get(before.type)
    kept = fate in ("kept", "in a snapshot")
    if held is not None and not (kept and before.type in KEYS):
        rest = "it stays behind in the old one" if kept else "it is deleted with the old one"
        effects.append(
            Effect(
                verdict=Verdict.DESTROYS_DATA,
                message=f"{begin}; the new one is empty: the data ({held}) will not move, "
                f"and {rest}",
                hint=_HINT,
                source=_PAGE,
                data="stays behind" if kept else "lost",
            )
        )
    else:
        ends = before.type in NODES or before.type in CAPACITY
        leaving = removed(before)
        # Never better than to leave: the new one has nothing of what may be in the old one.
        is_worse = leaving.verdict.rank < Verdict.REPLACES.rank
        # Of the rest the new one does the same from the moment that it is there.
        is_told = is_worse or (before.type == ASSOCIATION and fate != "kept")
        message = f"{begin}; {leaving.message}" if is_told else begin
        verdict = Verdict.REPLACES_NODES if ends else Verdict.REPLACES
        verdict = leaving.verdict if leaving.verdict.rank < verdict.rank else verdict
        effects.append(Effect(verdict=verdict, message=message, hint=_HINT, source=_PAGE))
    name = own_name(new[1], after)
    is_refused = any(effect.verdict is Verdict.REFUSED for effect in effects)
    if not is_refused and name is not None and name == own_name(old[1], before):
        effects.append(replace(name_taken(name), hint=_HINT))
    return worst_first(effects)


def effect_of_leaving(found: Succession) -> Effect:
    """What is lost with a resource whose successor is no mere move, and what comes in its place."""
    old, new = found.old[2], found.new[2]
    effect = removed(old)
    is_one_stack = found.old[0].name == found.new[0].name
    where = "" if is_one_stack else f" of stack {found.new[0].name}"
    names = ", ".join(found.changed[:3]) + (", ..." if len(found.changed) > 3 else "")
    # Whether the old one is kept or not: what takes its place does not have its data.
    is_empty = old.type in HOLDS and old.type not in KEYS
    how = "is empty and differs in" if is_empty else "differs in"
    hint = effect.hint
    if is_one_stack and not found.makes_new:
        # With the old logical id it would be a change of the resource, which may lose nothing.
        keep = f"keep the logical id, and see what a change of {names} alone does"
        hint = keep if hint is None else f"{keep}; or {hint}"
    return replace(
        effect,
        verdict=Verdict.DESTROYS_DATA if is_empty else effect.verdict,
        message=f"{effect.message}; {new.logical_id}{where}, which is made, {how} {names}",
        hint=hint,
    )


def own_name(side: Side, resource: Resource) -> str | None:
    """What the template itself calls a resource, where its type is identified by that."""
    schema = find_schema(resource.type, side.template.region)
    if schema is None or not schema.identifier:
        return None
    properties = side.properties(resource.logical_id)
    way = _NAMED_BY.get(resource.type)
    if way is not None:
        name = value_at(dict(properties), *way)
        return name if isinstance(name, str) else None
    values = [value_at(dict(properties), *way) for way in schema.identifier]
    texts = [value for value in values if isinstance(value, str)]
    return "/".join(texts) if len(texts) == len(values) else None


def name_taken(name: str) -> Effect:
    """Two resources cannot have one name, and CloudFormation makes the new one first."""
    return Effect(
        verdict=Verdict.REFUSED,
        message=f"the new one would have the name {name!r} while the old one still has it: the "
        "update is rolled back",
        hint="leave the name out, or give another one in the same update",
        source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/"
        "aws-properties-name.html",
    )
