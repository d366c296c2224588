"""Parts of a template that only CloudFormation can turn into resources: macros and loops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from trnkit.operations.changes.normal_form import key_of
from trnkit.report.change_results import Change, Effect, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.operations.changes.stacks import Stack

_LOOP = "Fn::ForEach"
_MACROS_PAGE = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-macros.html"
_LOOPS_PAGE = (
    "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/"
    "intrinsic-function-reference-foreach.html"
)
_HINT = "make a change set, which expands the template"


def judge_the_rest(old: Stack, new: Stack) -> Iterator[Change]:
    """Differences in what is no resource yet: they cannot be told, and are not left out."""
    if _form(old, old.side.template.body.get("Transform")) != _form(
        new, new.side.template.body.get("Transform")
    ):
        yield _change(new, "Transform", "/Transform", "macros of the template differ", _MACROS_PAGE)
    before, after = _loops(old), _loops(new)
    for name in dict.fromkeys([*before, *after]):
        if _form(old, before.get(name)) != _form(new, after.get(name)):
            stack = new if name in after else old
            message = "the loop differs, and with it all the resources that it makes"
            yield _change(stack, name, f"/Resources/{name}", message, _LOOPS_PAGE)


def macros_of(stack: Stack) -> Iterator[str]:
    """What to know of resources that are not in the text."""
    transform = stack.side.template.body.get("Transform")
    names = cast("list[Any]", transform) if isinstance(transform, list) else [transform]
    for name in names:
        if isinstance(name, str) and name != "AWS::LanguageExtensions":
            yield (
                f"{stack.name}: the macro {name} makes resources at the deployment that are not in "
                "the template, and are not compared"
            )


def _form(stack: Stack, value: Any) -> str:
    return key_of(stack.side.normalizer.form(value))


def _loops(stack: Stack) -> dict[str, Any]:
    resources = stack.side.template.body.get("Resources")
    entries = cast("Mapping[Any, Any]", resources) if isinstance(resources, Mapping) else {}
    return {str(name): value for name, value in entries.items() if str(name).startswith(_LOOP)}


def _change(stack: Stack, name: str, pointer: str, message: str, source: str) -> Change:
    effect = Effect(
        verdict=Verdict.CANNOT_BE_TOLD,
        message=f"{message}; what becomes of them cannot be told",
        hint=_HINT,
        source=source,
    )
    mark = stack.file.locate(pointer) if stack.shown_file else None
    return Change(
        kind="changed",
        stack=stack.name,
        logical_id=name,
        type="macro",
        effects=(effect,),
        file=stack.shown_file,
        line=mark.line if mark else None,
        column=mark.column if mark else None,
    )
