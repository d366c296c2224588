"""Whether resources outlive their stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.reading.template_value import attribute_of

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Resource


def retains(resource: Resource, policy: str = "DeletionPolicy") -> bool | None:
    """Whether an attribute keeps the resource; None when not known."""
    value = attribute_of(resource, policy)
    if value.is_absent:
        return False
    text = value.text()
    return None if text is None else text.startswith("Retain")
