"""Parts of a JSON document that may be of any shape."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def mapping(value: object) -> Mapping[str, Any]:
    """An object; empty when it is something else."""
    return value if isinstance(value, dict) else {}


def entries(value: object) -> list[Any]:
    """A list; empty when it is something else."""
    return value if isinstance(value, list) else []


def number(value: object) -> float | None:
    """A number that says something; no truth value, no NaN."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        as_float = float(value)
    except OverflowError:
        return None
    return as_float if math.isfinite(as_float) else None


def numbers(value: object) -> dict[str, float]:
    """The members of an object that are numbers."""
    found: dict[str, float] = {}
    for key, member in mapping(value).items():
        known = number(member)
        if known is not None:
            found[key] = known
    return found
