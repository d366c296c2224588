"""Parts of a template that only CloudFormation turns into resources: macros, hooks, loops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from trnkit.operations.changes.normal_form import key_of
from trnkit.report.change_results import Change, Effect, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.operations.changes.stacks import Stack

_LOOP = "Fn::ForEach"
_MACRO = "Fn::Transform"
_WHOLES = ("Hooks", _MACRO)
_SECTIONS = ("Parameters", "Mappings", "Conditions", "Resources", "Outputs")
_MACROS_PAGE = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-macros.html"
_LOOPS_PAGE = (
    "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/"
    "intrinsic-function-reference-foreach.html"
)
_HOOKS_PAGE = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/blue-green.html"
_MESSAGES = {
    "ForEach": ("the loop differs, and with it all the resources that it makes", _LOOPS_PAGE),
    "Hooks": ("hooks of the update differ, and with them what they replace", _HOOKS_PAGE),
    "Transform": ("what a macro puts here differs, and with it all that it makes", _MACROS_PAGE),
}
_HINT = "make a change set, which expands the template"


def judge_the_rest(old: Stack, new: Stack) -> Iterator[Change]:
    """Differences in what is no resource yet: they cannot be told, and are not left out."""
    if _form(old, old.side.template.body.get("Transform")) != _form(
        new, new.side.template.body.get("Transform")
    ):
        yield _change(new, "Transform", "/Transform", "macros of the template differ", _MACROS_PAGE)
    before, after = _unread(old), _unread(new)
    for place in dict.fromkeys([*before, *after]):
        if _form(old, before.get(place)) != _form(new, after.get(place)):
            stack = new if place in after else old
            name = place[-1]
            message, page = _MESSAGES[name.partition("::")[2].partition("::")[0] or name]
            yield _change(stack, name, "".join(f"/{part}" for part in place), message, page)


def macros_of(stack: Stack) -> Iterator[str]:
    """What to know of resources that are not in the text."""
    transform = stack.side.template.body.get("Transform")
    names = cast("list[Any]", transform) if isinstance(transform, list) else [transform]
    for entry in names:
        name = _mapping(entry).get("Name", entry)
        if isinstance(name, str) and name != "AWS::LanguageExtensions":
            yield (
                f"{stack.name}: the macro {name} makes resources at the deployment that are not in "
                "the template, and are not compared"
            )


def _form(stack: Stack, value: Any) -> str:
    return key_of(stack.side.normalizer.form(value))


def _unread(stack: Stack) -> dict[tuple[str, ...], Any]:
    """What stands in place of parts of a template, by where it stands."""
    body = stack.side.template.body
    found: dict[tuple[str, ...], Any] = {(name,): body[name] for name in _WHOLES if name in body}
    for section in _SECTIONS:
        for name, value in _mapping(body.get(section)).items():
            if str(name) == _MACRO or str(name).startswith(_LOOP):
                found[section, str(name)] = value
    return found


def _mapping(value: Any) -> Mapping[Any, Any]:
    return cast("Mapping[Any, Any]", value) if isinstance(value, Mapping) else {}


def _change(stack: Stack, name: str, pointer: str, message: str, source: str) -> Change:
    effect = Effect(
        verdict=Verdict.CANNOT_BE_TOLD,
        message=f"{message}; what becomes of them cannot be told",
        hint=_HINT,
        source=source,
    )
    change = Change(
        kind="changed", stack=stack.name, logical_id=name, type="macro", effects=(effect,)
    )
    return stack.placed(change, pointer)
