"""Nested stacks: which template of a set is whose.

A path beside the template, as `aws cloudformation package` takes it, or the file of a cloud
assembly, which the CDK names in the metadata of the stack.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Resource, Template

NESTED_STACK = "AWS::CloudFormation::Stack"
_MOST = 200
_DEEPEST = 8


def with_nested_stacks(templates: tuple[Template, ...]) -> tuple[Template, ...]:
    """The templates, with one for each nested stack in place of those that are nested.

    A stack that would contain itself is left alone.
    """
    files = {_normal(template.path): template for template in templates}
    found: list[Template] = []
    nested: set[str] = set()
    for template in templates:
        nested |= {path for _, path in _nested_files(template, files)}
    roots = [template for template in templates if _normal(template.path) not in nested]
    waiting: list[tuple[Template, int, tuple[int, str] | None]] = [
        (template, 0, None) for template in roots or templates
    ]
    while waiting:
        template, depth, parent = waiting.pop(0)
        number = len(found)
        if parent is not None:
            template = template.copy()
            template.parent = parent
            name, region = found[parent[0]].name, found[parent[0]].region
            template.name, template.region = f"{name}/{parent[1]}", template.region or region
        found.append(template)
        children = _nested_files(template, files) if depth < _DEEPEST and roots else []
        for logical_id, path in children:
            if len(found) + len(waiting) < len(templates) + _MOST:
                waiting.append((files[path], depth + 1, (number, logical_id)))
    return _with_orphans(tuple(found), templates)


def _with_orphans(
    found: tuple[Template, ...], templates: tuple[Template, ...]
) -> tuple[Template, ...]:
    """Those that nothing but themselves nests are judged as they stand."""
    paths = {template.path for template in found}
    return (*found, *(template for template in templates if template.path not in paths))


def _nested_files(template: Template, files: Mapping[str, Template]) -> list[tuple[str, str]]:
    """The stacks of a template whose template is in the set, with its path there."""
    found: list[tuple[str, str]] = []
    for resource in template.resources.values():
        path = _file_of(resource) if resource.type == NESTED_STACK else None
        if path is not None:
            place = _normal(posixpath.join(posixpath.dirname(_normal(template.path)), path))
            if place in files and files[place] is not template:
                found.append((resource.logical_id, place))
    return found


def _file_of(resource: Resource) -> str | None:
    url: Any = resource.properties.get("TemplateURL")
    if isinstance(url, str):
        return None if "://" in url else url
    metadata = resource.body.get("Metadata")
    named = cast("Mapping[str, Any]", metadata) if isinstance(metadata, Mapping) else {}
    path = named.get("aws:asset:path")
    return path if isinstance(path, str) else None


def _normal(path: str) -> str:
    return posixpath.normpath(path.replace("\\", "/"))
