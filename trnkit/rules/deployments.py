"""Which templates of a folder are of one deployment.

A folder may hold the templates of several clusters. Rules that count what is there (nodes beside a
file system, budgets beside nodes) may look at one of them at a time only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.reading.stack_imports import stack_imports
from trnkit.rules.stack_set import StackSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.rules.stack_set import Template


def deployments(templates: Sequence[Template]) -> list[list[Template]]:
    """Part templates into those that hang together.

    They do when one imports what another exports, reads its outputs or nests it, and when both
    import the same from a stack that is not here.

    Args:
        templates: Of one folder.
    """
    leader = {template.path: template.path for template in templates}
    if len(leader) < 2:
        return [list(templates)]

    def find(path: str) -> str:
        while leader[path] != path:
            path = leader[path]
        return path

    stack_set = StackSet(templates)
    first: dict[str, str] = {}
    for taken in stack_imports(stack_set):
        here = find(taken.resource.template.path)
        others = [source.path for source in taken.sources]
        for path in (first.setdefault(taken.name, here), *others):
            leader[find(path)] = here
    for template in stack_set.templates:
        if template.parent is not None:
            leader[find(template.path)] = find(stack_set.templates[template.parent[0]].path)
    parts: dict[str, list[Template]] = {}
    for template in templates:
        parts.setdefault(find(template.path), []).append(template)
    return list(parts.values())
