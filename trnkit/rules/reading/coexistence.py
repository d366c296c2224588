"""Whether two resources are ever made together: a template may choose between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.reading.stack_imports import stack_imports

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Resource, StackSet, Template


def exist_together(first: Resource, second: Resource) -> bool:
    """Whether a deployment certainly makes both or neither.

    Two templates of a set may be two ways to have the same: only one that takes something from the
    other, or is nested beside it, is certainly deployed with it.
    """
    here, there = first.template, second.template
    if here is there and first.condition == second.condition:
        return True
    both = first.is_made is True and second.is_made is True
    return both and (here is there or _belong_together(here, there))


def _belong_together(here: Template, there: Template) -> bool:
    if _outermost(here) is _outermost(there):
        return True
    return frozenset((here, there)) in here.stack_set.derive(_neighbours)


def _outermost(template: Template) -> Template:
    """The template that nests it, and those around it; itself when none does."""
    while template.parent is not None:
        template = template.stack_set.templates[template.parent[0]]
    return template


def _neighbours(stack_set: StackSet) -> frozenset[frozenset[Template]]:
    """Pairs of templates of which one takes something from the other."""
    return frozenset(
        frozenset((found.resource.template, source))
        for found in stack_imports(stack_set)
        for source in found.sources
    )
