"""Templates that CloudFormation refuses before it begins: they refer to nothing, or in a circle.

Sources: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/troubleshooting.html,
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-getatt.html
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from trnkit.emulation.borrowed import module

_ENGINE = "ministack.services.cloudformation"
_NAME_IN_TEXT = re.compile(r"\$\{(?P<name>[A-Za-z0-9:.]+)\}")

Use = tuple[str, str]
"""What a template refers to: ``Ref`` or ``Fn::GetAtt``, and a logical id or a parameter."""


def install() -> None:
    """Let the engine look for this too; once, before its first request."""
    validate = module(f"{_ENGINE}.engine").validate_template_support

    @functools.wraps(validate)
    def validated(template: dict[str, Any], *rest: Any, **named: Any) -> None:
        validate(template, *rest, **named)
        # A macro may add what is missing.
        if not template.get("Transform"):
            check(template)

    for name in ("changesets", "engine", "handlers", "stacks"):
        place = module(f"{_ENGINE}.{name}")
        if hasattr(place, "validate_template_support"):
            place.validate_template_support = validated


def check(template: Mapping[str, Any]) -> None:
    """Refuse references that lead nowhere, and circles.

    Raises:
        ValueError: CloudFormation's words.
    """
    resources: Mapping[str, Any] = template.get("Resources") or {}
    known = {*resources, *(template.get("Parameters") or {})}
    for block in ("Resources", "Outputs"):
        _check_block(block, template.get(block) or {}, resources, known)
    _check_circles(
        {
            name: {used for _, used in _uses_of(resource) if used in resources}
            for name, resource in resources.items()
        }
    )


def _check_block(block: str, content: Any, resources: Mapping[str, Any], known: set[str]) -> None:
    uses = [use for value in content.values() for use in _uses_of(value)]
    for kind, name in uses:
        if kind == "Fn::GetAtt" and name not in resources:
            told = f"instance of Fn::GetAtt references undefined resource {name}"
            raise ValueError(f"Template error: {told}")
    missing = {name for _, name in uses if name not in known and not name.startswith("AWS::")}
    if missing:
        listed = ", ".join(sorted(missing))
        raise ValueError(
            f"Template format error: Unresolved resource dependencies [{listed}] in the {block} "
            "block of the template"
        )


def _uses_of(definition: Any) -> Iterator[Use]:
    """What a resource or an output refers to."""
    if not isinstance(definition, Mapping):
        return
    after = definition.get("DependsOn") or []
    for name in [after] if isinstance(after, str) else after:
        yield "Ref", str(name)
    yield from _uses(definition.get("Properties"))
    yield from _uses(definition.get("Value"))


def _uses(value: Any) -> Iterator[Use]:
    if isinstance(value, list):
        for item in value:
            yield from _uses(item)
    elif isinstance(value, Mapping):
        yield from _function(value) if len(value) == 1 else _uses([*value.values()])


def _function(value: Mapping[str, Any]) -> Iterator[Use]:
    ((name, given),) = value.items()
    if name == "Ref" and isinstance(given, str):
        yield "Ref", given
    elif name == "Fn::GetAtt" and isinstance(given, str | list) and given:
        yield "Fn::GetAtt", given.partition(".")[0] if isinstance(given, str) else str(given[0])
    elif name == "Fn::Sub":
        text, own = (given[0], given[1]) if isinstance(given, list) else (given, {})
        for used in _NAME_IN_TEXT.findall(str(text)):
            if used not in own:
                kind = "Fn::GetAtt" if "." in used else "Ref"
                yield kind, used.partition(".")[0]
        yield from _uses(own)
    else:
        yield from _uses(given)


def _check_circles(uses: Mapping[str, set[str]]) -> None:
    left = {name: set(used) for name, used in uses.items()}
    _take_off(left, lambda name: not left[name])
    # What is left waits for a circle; what nothing in it waits for is no part of one.
    _take_off(left, lambda name: not any(name in used for used in left.values()))
    if left:
        listed = ", ".join(sorted(left))
        raise ValueError(f"Circular dependency between resources: [{listed}]")


def _take_off(left: dict[str, set[str]], is_free: Callable[[str], bool]) -> None:
    while free := {name for name in left if is_free(name)}:
        for name in free:
            del left[name]
        for used in left.values():
            used -= free
