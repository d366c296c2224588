"""Whether two resources are ever made together: a template may choose between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Resource


def exist_together(first: Resource, second: Resource) -> bool:
    """Whether a deployment certainly makes both or neither."""
    if first.template is second.template and first.condition == second.condition:
        return True
    return first.is_made is True and second.is_made is True
