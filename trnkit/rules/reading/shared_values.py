"""Values that templates share by name: exports, and parameters of Systems Manager."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from trnkit.rules.reading.known_values import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.rules.stack_set import Resource, StackSet, Template

_STORED = "AWS::SSM::Parameter"
Exports = Mapping[str, list[tuple["Template", Mapping[str, Any]]]]


def find_exports(templates: Iterable[Template]) -> Exports:
    """The outputs of templates that are exported, by name; several may be of one name."""
    found: dict[str, list[tuple[Template, Mapping[str, Any]]]] = {}
    for template in templates:
        for output in _mapping(template.body.get("Outputs")).values():
            name = template.text(_mapping(_mapping(output).get("Export")).get("Name"))
            if name is not None:
                found.setdefault(name, []).append((template, _mapping(output)))
    return found


def exported_value(stack_set: StackSet, name: str, region: str | None, depth: int) -> Any:
    """The resolved value of an export.

    Args:
        stack_set: The templates.
        name: Of the export.
        region: Where it is imported, when that is known.
        depth: How deep the import is in other functions.

    Returns:
        UNKNOWN when no template here makes it for the Region, or more than one does.
    """
    made = [
        (template, output)
        for template, output in stack_set.exports.get(name, ())
        if (region is None or template.region in (None, region))
        and _is_made(template, output) is not False
    ]
    if len(made) != 1:
        return UNKNOWN
    template, output = made[0]
    return stack_set.resolve_once((template.number, name), template, output.get("Value"), depth)


def stored_value(stack_set: StackSet, name: str, region: str | None, depth: int) -> Any:
    """The value that a template stores in Systems Manager; UNKNOWN when it is not one alone."""
    found = [
        parameter
        for parameter in stack_set.derive(_stored_by_name).get(name, ())
        if region is None or parameter.template.region in (None, region)
    ]
    if len(found) != 1:
        return UNKNOWN
    value = found[0].properties.get("Value")
    return stack_set.resolve_once(("stored", name), found[0].template, value, depth)


def _stored_by_name(stack_set: StackSet) -> dict[str, list[Resource]]:
    found: dict[str, list[Resource]] = {}
    for resource in stack_set.resources(_STORED):
        name = resource.get("Name")
        if isinstance(name, str):
            found.setdefault(name, []).append(resource)
    return found


def _is_made(template: Template, output: Mapping[str, Any]) -> bool | None:
    condition = output.get("Condition")
    return template.condition(condition) if isinstance(condition, str) else True


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
