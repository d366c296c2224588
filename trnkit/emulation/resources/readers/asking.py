"""What readers have in common: how a service says that it does not know something."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any


def document(told: Any) -> Any:
    """A policy or other JSON document that a service tells as text."""
    return json.loads(told) if isinstance(told, str) and told else told


def named(told: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Members of an answer under the names of the template; only those that are there.

    Args:
        told: The answer.
        names: The template's name of each member, by the answer's.
    """
    return {names[name]: told[name] for name in names if told.get(name) is not None}


def all_named(told: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Members of an answer under the names of the template; None for what is not there.

    For what the service would tell if it had it, so that what was lost on the way is seen.
    """
    return {name: told.get(member) for member, name in names.items()}


def capitalized(tags: Iterable[Mapping[str, Any]], key: str, value: str) -> list[dict[str, str]]:
    """Tags of an answer in the template's spelling, without those that AWS itself sets."""
    return [
        {"Key": str(tag[key]), "Value": str(tag.get(value, ""))}
        for tag in tags
        if not str(tag[key]).startswith("aws:")
    ]
