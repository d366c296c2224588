"""Outputs and exports: what one stack says that another may have taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.operations.changes.normal_form import Call, Form, children, references
from trnkit.operations.changes.pairs import value_at
from trnkit.operations.changes.showing import as_text
from trnkit.report.change_results import Change, Effect, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from trnkit.operations.changes.normal_form import OutputReference, Reference
    from trnkit.operations.changes.stacks import Stack

_PAGE = (
    "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-stack-exports.html"
)
_MADE_BY_CDK = "ExportsOutput"


@dataclass(frozen=True, slots=True)
class Output:
    """One output of a stack, in normal form."""

    value: Form
    export: Form


def outputs_of(stack: Stack) -> dict[str, Output]:
    """The outputs of a stack by logical id."""
    found: dict[str, Output] = {}
    for name, form in stack.side.outputs().items():
        # `Fn::Transform` and `Fn::ForEach` stand for outputs, and are none.
        if isinstance(form, dict) and not name.startswith("Fn::"):
            found[name] = Output(form.get("Value"), value_at(form, "Export", "Name"))
    return found


def stale_outputs(
    old: Stack, new: Stack, is_stale: Callable[[Reference | OutputReference], bool]
) -> set[tuple[str, str]]:
    """Stack and name of the outputs that have another value after the update."""
    before = outputs_of(old)
    return {
        (new.name, name)
        for name, output in outputs_of(new).items()
        if (name in before and before[name].value != output.value)
        or any(map(is_stale, references(output.value)))
    }


def imports_of(stack: Stack) -> set[str]:
    """The names of exports that a stack imports, where they are known."""
    names: set[str] = set()
    todo: list[Form] = [dict(stack.side.outputs())]
    todo += [dict(stack.side.properties(logical_id)) for logical_id in stack.side.resources()]
    while todo:
        form = todo.pop()
        if isinstance(form, Call) and form.name == "Fn::ImportValue":
            names.add(as_text(form.argument))
        todo += [value for _, value in children(form)]
    return names


def judge_outputs(
    old: Stack,
    new: Stack,
    importers: Callable[[str], Sequence[str]],
    is_stale: Callable[[Reference | OutputReference], bool],
) -> Iterator[Change]:
    """Changes of outputs.

    Args:
        old: The old stack.
        new: The new one.
        importers: The other stacks of the old set that import a name.
        is_stale: Whether what a reference stands for changes with the update.
    """
    before, after = outputs_of(old), outputs_of(new)
    for name in dict.fromkeys([*before, *after]):
        then, now = before.get(name), after.get(name)
        same = then == now
        stale = now is not None and any(map(is_stale, references(now.value)))
        if same and not stale:
            continue
        effect = _effect(then, now, importers, replaced=stale and same)
        if effect is None:
            continue
        stack = old if now is None else new
        change = Change(
            kind="removed" if now is None else "added" if then is None else "changed",
            stack=new.name,
            logical_id=name,
            type="output",
            effects=(effect,),
        )
        yield stack.placed(change, f"/Outputs/{name}")


def _effect(
    then: Output | None,
    now: Output | None,
    importers: Callable[[str], Sequence[str]],
    *,
    replaced: bool,
) -> Effect | None:
    if then is None or then.export is None:
        # The value of an output that nobody imports is text for people.
        return None if replaced else Effect(verdict=Verdict.SAFE, message="an output for readers")
    name = as_text(then.export)
    users = list(importers(name))
    goes = now is None or now.export != then.export
    what = "taken away" if goes else "given another value"
    if users:
        first = f"cdk deploy --exclusively {users[0]}"
        return Effect(
            verdict=Verdict.REFUSED,
            message=f"export {name} is {what}, and {', '.join(users[:3])} imported it: "
            "CloudFormation refuses, and the update is rolled back",
            hint=f"deploy what no longer imports it first ({first}), or keep the export for one "
            "more update"
            if goes
            else "make a second one beside it, move the importers to that, then remove this one",
            source=_PAGE,
        )
    if _MADE_BY_CDK in name:
        return Effect(verdict=Verdict.SAFE, message=f"export {name} is {what}; nobody imports it")
    return Effect(
        verdict=Verdict.CANNOT_BE_TOLD,
        message=f"export {name} is {what}; CloudFormation refuses it when a stack that is not here "
        "imports it",
        hint="ask: aws cloudformation list-imports",
        source=_PAGE,
    )
