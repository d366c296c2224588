"""What CloudFormation makes before what, and which resources name which."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Resource, StackSet

_WORD = re.compile("[A-Za-z0-9]+")
_OF_OTHERS = ("Custom::", "AWS::CloudFormation::CustomResource", "AWS::CloudFormation::Stack")


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


def named_by_others(stack_set: StackSet) -> frozenset[Resource]:
    """Resources that are handed to what we cannot see into, and that may be changed there.

    Custom resources, modules, types of others, and nested stacks whose template is not in the set.
    """
    others = [
        resource
        for template in stack_set.templates
        for resource in template.resources.values()
        if (resource.type.startswith(_OF_OTHERS) and stack_set.nested(resource) is None)
        or resource.type.endswith("::MODULE")
        or not resource.type.startswith(("AWS::", "Alexa::"))
    ]
    named_by = stack_set.derive(_named_resources) if others else {}
    return frozenset(
        resource.template.resources[name] for resource in others for name in named_by[resource]
    )


def _named_resources(stack_set: StackSet) -> dict[Resource, set[str]]:
    """The resources of its template that each resource names anywhere."""
    return {
        resource: set(_WORD.findall(repr(resource.body))) & resource.template.resources.keys()
        for template in stack_set.templates
        for resource in template.resources.values()
    }
