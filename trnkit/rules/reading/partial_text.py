"""Texts of which some is known before the deployment, and some is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from trnkit.rules.reading.intrinsics import substituted

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Template

UNKNOWN_PART = "\0"
"""Stands in a text for what is known at deployment only; no value can hold it."""
_MAX_DEPTH = 10


def partial_text(template: Template, raw: Any, depth: int = 0) -> str:
    """A value as text, with `UNKNOWN_PART` for each part of it that is not known.

    Args:
        template: The template that it is in.
        raw: The value as the template has it.
        depth: How deep it is in other functions.
    """
    raw = template.chosen(raw)
    known = template.text(raw)
    if known is not None:
        return known
    function, argument = _function(raw)
    if depth > _MAX_DEPTH:
        return UNKNOWN_PART
    if function == "Fn::Sub":
        pieces = substituted(template, argument, depth)
        texts = [UNKNOWN_PART if piece is None else piece for piece in pieces or ()]
        return "".join(texts) or UNKNOWN_PART
    if function == "Fn::Join" and isinstance(argument, list) and len(argument) == 2:
        separator, parts = cast("list[Any]", argument)
        parts = template.resolve(parts)
        if isinstance(separator, str) and isinstance(parts, list):
            parts = cast("list[Any]", parts)
            return separator.join(partial_text(template, part, depth + 1) for part in parts)
    return UNKNOWN_PART


def _function(raw: Any) -> tuple[str, Any]:
    """Name and argument of a function; an empty name when it is none."""
    if not isinstance(raw, Mapping) or len(cast("Mapping[Any, Any]", raw)) != 1:
        return "", None
    ((name, argument),) = cast("Mapping[Any, Any]", raw).items()
    return str(name), argument
