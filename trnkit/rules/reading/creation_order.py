"""What CloudFormation makes before what."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Resource, StackSet

_WORD = re.compile("[A-Za-z0-9]+")


def waits_for(resource: Resource, other: Resource, stack_set: StackSet) -> bool:
    """Whether a resource comes after another: by `DependsOn`, or by naming it in any other way."""
    if other.template is not resource.template:
        return True
    named_by = stack_set.derive(_named_resources)
    waiting, seen = [resource], {resource.logical_id}
    while waiting:
        named = named_by[waiting.pop()] - seen
        seen |= named
        waiting += [resource.template.resources[name] for name in named]
    return other.logical_id in seen


def _named_resources(stack_set: StackSet) -> dict[Resource, set[str]]:
    """The resources of its template that each resource names anywhere."""
    return {
        resource: set(_WORD.findall(repr(resource.body))) & resource.template.resources.keys()
        for resource in stack_set.resources()
    }
