"""Whether two resources are ever made together, and have to do with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.reading.stack_imports import stack_imports

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Resource, StackSet


def exist_together(first: Resource, second: Resource) -> bool:
    """Whether a deployment certainly makes both or neither."""
    if first.template is second.template and first.condition == second.condition:
        return True
    return first.is_made is True and second.is_made is True


def belong_together(first: Resource, second: Resource, stack_set: StackSet) -> bool:
    """Whether two resources are of one template, or of stacks that take something from each other.

    Templates that lie in one folder are judged together, and may be of different clusters.
    """
    of_whom = stack_set.derive(_clusters)
    return of_whom[first.template.number] == of_whom[second.template.number]


def _clusters(stack_set: StackSet) -> list[int]:
    """By number of a template, that of one which stands for all that hang together with it."""
    leader = list(range(len(stack_set.templates)))

    def find(number: int) -> int:
        while leader[number] != number:
            number = leader[number]
        return number

    first_of: dict[str, int] = {}
    for taken in stack_imports(stack_set):
        here = find(taken.resource.template.number)
        # What both import from a stack that is not here makes them of one cluster too.
        for number in (first_of.setdefault(taken.name, here), *(s.number for s in taken.sources)):
            leader[find(number)] = here
    for template in stack_set.templates:
        if template.parent is not None:
            leader[find(template.number)] = find(template.parent[0])
    return [find(number) for number in leader]
