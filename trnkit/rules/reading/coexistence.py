"""Whether two resources are ever made together: a template may choose between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Resource


def exist_together(first: Resource, second: Resource) -> bool:
    """Whether a deployment certainly makes both or neither."""
    if first.template is second.template:
        return first.condition == second.condition
    return first.condition is None and second.condition is None
