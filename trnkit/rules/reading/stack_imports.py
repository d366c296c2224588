"""What stacks take from each other: exports that are imported, and outputs that are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.rules.reading.intrinsics import function_name
from trnkit.rules.reading.template_value import as_mapping
from trnkit.rules.reading.template_walk import entries_within

if TYPE_CHECKING:
    from trnkit.config.yaml_reader import Path
    from trnkit.rules.stack_set import Resource, StackSet, Template


@dataclass(frozen=True, slots=True)
class StackImport:
    """A place where a resource takes something from another stack.

    Attributes:
        resource: The resource.
        path: The way to the place below it.
        name: The export's name, or the output's.
        sources: The templates of the set that make it; none when others do.
        is_export: Whether it is an export, which is of one Region, and no output read by name.
    """

    resource: Resource
    path: Path
    name: str
    sources: tuple[Template, ...]
    is_export: bool


def stack_imports(stack_set: StackSet) -> tuple[StackImport, ...]:
    """Every import in the resources of the set whose name is known."""
    return stack_set.derive(_find_imports)


def _find_imports(stack_set: StackSet) -> tuple[StackImport, ...]:
    exporters, found = _exporters(stack_set), list[StackImport]()
    for resource in stack_set.resources():
        for here, key, value in entries_within(resource.body):
            function = None if value.__class__ is str else function_name(value)
            if function is None:
                continue
            path = (*here, key)
            if function == "Fn::ImportValue":
                name = resource.template.text(value[function])
                if name is not None:
                    sources = tuple(exporters.get(name, ()))
                    found.append(StackImport(resource, path, name, sources, True))
            elif function == "Fn::GetStackOutput":
                argument = as_mapping(value[function]) or {}
                source = stack_set.template(str(argument.get("StackName")))
                sources = () if source is None else (source,)
                name = str(argument.get("OutputName"))
                found.append(StackImport(resource, path, name, sources, False))
    return tuple(found)


def _exporters(stack_set: StackSet) -> dict[str, list[Template]]:
    found: dict[str, list[Template]] = {}
    for template in stack_set.templates:
        for entry in (as_mapping(template.body.get("Outputs")) or {}).values():
            export = as_mapping((as_mapping(entry) or {}).get("Export")) or {}
            name = template.text(export.get("Name"))
            if name is not None:
                found.setdefault(name, []).append(template)
    return found
