"""Resources under another logical id: to CloudFormation one goes and another comes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from trnkit.operations.changes.data_types import HOLDS, KEYS, policies_of
from trnkit.operations.changes.lifecycle import removed
from trnkit.operations.changes.node_types import CAPACITY, NODES
from trnkit.operations.changes.normal_form import Form, Reference, Text, children, key_of
from trnkit.operations.changes.pairs import value_at
from trnkit.operations.changes.registry import find_schema
from trnkit.report.change_results import Effect, Verdict, worst_first

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.operations.changes.pairs import Side
    from trnkit.operations.changes.stacks import Stack
    from trnkit.rules.stack_set import Resource

Placed: TypeAlias = "tuple[Stack, Side, Resource]"
_Known: TypeAlias = "tuple[Placed, frozenset[str]]"

_ALIKE = 0.75
_MOST = 400
"""So many of a type are compared with each other; more would take time with their square."""
_ALONE: dict[str, str] = {
    "AWS::EC2::Route": "two routes of a table to one destination",
    "AWS::EC2::SecurityGroupEgress": "a rule that the group has already",
    "AWS::EC2::SecurityGroupIngress": "a rule that the group has already",
    "AWS::EC2::Subnet": "two subnets with one block",
    "AWS::EC2::VPCGatewayAttachment": "a second internet gateway of a VPC",
    "AWS::EFS::MountTarget": "a second mount target in a zone",
    "AWS::FSx::DataRepositoryAssociation": "two links between the same places",
}
"""Types of which AWS refuses a second one with the same properties, and why."""
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


def find_moves(gone: Sequence[Placed], come: Sequence[Placed]) -> Iterator[tuple[Placed, Placed]]:
    """Pairs of a removed and an added resource that are the same but for the logical id."""
    kinds = {resource.type for _, _, resource in come}
    for kind in dict.fromkeys(resource.type for _, _, resource in gone):
        if kind in kinds:
            before = [(placed, _leaves(placed)) for placed in gone if placed[2].type == kind]
            after = [(placed, _leaves(placed)) for placed in come if placed[2].type == kind]
            yield from _same(before, after)
            yield from _most_alike(before[:_MOST], after[:_MOST])


def _same(before: list[_Known], after: list[_Known]) -> Iterator[tuple[Placed, Placed]]:
    """Those with the very same properties, which are taken out of the lists."""
    waiting: dict[frozenset[str], list[_Known]] = {}
    for known in after:
        waiting.setdefault(known[1], []).append(known)
    for known in [*before]:
        if waiting.get(known[1]):
            other = waiting[known[1]].pop(0)
            before.remove(known)
            after.remove(other)
            yield known[0], other[0]


def _most_alike(before: list[_Known], after: list[_Known]) -> Iterator[tuple[Placed, Placed]]:
    scores = [
        (_alike(a[1], b[1]), number, a[0], b[0])
        for number, (a, b) in enumerate((a, b) for a in before for b in after)
    ]
    taken: set[int] = set()
    for score, _, a, b in sorted(scores, key=lambda found: (-found[0], found[1])):
        if score < _ALIKE:
            break
        if id(a) not in taken and id(b) not in taken:
            taken |= {id(a), id(b)}
            yield a, b


def _leaves(placed: Placed) -> frozenset[str]:
    _, side, resource = placed
    return frozenset(
        f"{'/'.join(map(str, path))}={text}"
        for path, text in _walk(dict(side.properties(resource.logical_id)), (), side)
    )


def _walk(
    form: Form, path: tuple[str | int, ...], side: Side
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Values with their places; a reference by the type it leads to, since ids may all move."""
    if isinstance(form, Reference):
        target = side.template.resources.get(form.logical_id)
        yield path, f"{target.type if target else form.logical_id}.{form.attribute}"
    elif isinstance(form, dict | list | Text):
        for key, value in children(form):
            yield from _walk(value, (*path, key), side)
    else:
        yield path, key_of(form)


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0


def effects_of_move(old: Placed, new: Placed) -> tuple[Effect, ...]:
    """What it does that a resource stands under another logical id."""
    before, after = old[2], new[2]
    where = "" if old[0].name == new[0].name else f" of stack {new[0].name}"
    begin = (
        f"its logical id moves to {after.logical_id}{where}: CloudFormation makes another and "
        "deletes this one"
    )
    effects: list[Effect] = []
    held = HOLDS.get(before.type)
    kept = policies_of(before).deletion in ("kept", "in a snapshot")
    if held is not None and not (kept and before.type in KEYS):
        fate = "stays behind in the old one" if kept else "is deleted with it"
        effects.append(
            Effect(
                verdict=Verdict.DESTROYS_DATA,
                message=f"{begin}; the new one is empty: the data ({held}) will not move, "
                f"and {fate}",
                hint=_HINT,
                source=_PAGE,
                data="stays behind" if kept else "lost",
            )
        )
    else:
        ends = before.type in NODES or before.type in CAPACITY
        message = f"{begin}; {removed(before).message}" if ends else begin
        verdict = Verdict.REPLACES_NODES if ends else Verdict.REPLACES
        effects.append(Effect(verdict=verdict, message=message, hint=_HINT, source=_PAGE))
    what = _ALONE.get(before.type)
    same = old[1].properties(before.logical_id) == new[1].properties(after.logical_id)
    if what is not None and same and old[0].name == new[0].name:
        effects.append(_exists_already(what))
    name = _own_name(new)
    if name is not None and name == _own_name(old):
        effects.append(name_taken(name))
    return worst_first(effects)


def _exists_already(what: str) -> Effect:
    return Effect(
        verdict=Verdict.REFUSED,
        message=f"the new one is made while the old one is there, and AWS refuses {what}: the "
        "update is rolled back",
        hint=_HINT,
        source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html",
    )


def _own_name(placed: Placed) -> str | None:
    _, side, resource = placed
    return own_name(side, resource)


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
