"""Parameters whose declaration changes: the deployed stack has values of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from trnkit.report.change_results import Change, Effect, Verdict
from trnkit.rules.reading.known_values import plain_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.operations.changes.stacks import Stack

_PAGE = (
    "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/"
    "parameters-section-structure.html"
)
_OF_TOOLS = ("BootstrapVersion", "AssetParameters")
LOOKED_UP = "AWS::SSM::Parameter::"


def parameters_of(stack: Stack) -> dict[str, Mapping[str, Any]]:
    """The parameters of a template, without those that deployment tools add for themselves."""
    entries = stack.side.template.body.get("Parameters")
    if not isinstance(entries, Mapping):
        return {}
    return {
        str(name): cast("Mapping[str, Any]", entry)
        for name, entry in entries.items()
        if isinstance(entry, Mapping) and not str(name).startswith(_OF_TOOLS)
    }


def judge_parameters(old: Stack, new: Stack) -> Iterator[Change]:
    """Parameters with another default or type; what uses one is judged where it stands."""
    before, after = parameters_of(old), parameters_of(new)
    for name in dict.fromkeys([*before, *after]):
        then, now = before.get(name), after.get(name)
        if then == now:
            continue
        stack = old if now is None else new
        change = Change(
            kind="removed" if now is None else "added" if then is None else "changed",
            stack=new.name,
            logical_id=name,
            type="parameter",
            effects=(_effect(then, now),),
        )
        yield stack.placed(change, f"/Parameters/{name}")


def _effect(then: Mapping[str, Any] | None, now: Mapping[str, Any] | None) -> Effect:
    if then is None or now is None:
        return Effect(verdict=Verdict.SAFE, message="what uses it is judged where it stands")
    old, new = plain_text(then.get("Default")), plain_text(now.get("Default"))
    if old == new:
        return Effect(verdict=Verdict.SAFE, message="its declaration changes, its default does not")
    return Effect(
        verdict=Verdict.SAFE,
        message=f"its default changes from {old!r} to {new!r}; what uses it is judged as if the "
        "deployment took the new one, while a tool that keeps earlier values (cdk deploy, aws "
        "cloudformation deploy) leaves the deployed stack with the old one",
        hint="name the value you want in the deployment",
        source=_PAGE,
    )


def looked_up(stack: Stack) -> Iterator[str]:
    """What to know of parameters that CloudFormation looks up at every deployment (AMI-03)."""
    for name, entry in parameters_of(stack).items():
        kind = str(entry.get("Type", ""))
        if kind.startswith(LOOKED_UP):
            yield (
                f"{stack.name}: parameter {name} is read from Systems Manager at every deployment; "
                "its value may be another although nothing here says so"
            )
