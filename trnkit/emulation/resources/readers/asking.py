"""What readers have in common: how a service says that it does not know something."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from trnkit.emulation.borrowed import errors

_UNKNOWN = ("NoSuch", "NotFound", "ResourceNotFound", "404")


def known(call: Callable[[], Any]) -> Any:
    """What a call answers, None when the service knows no such thing.

    Other errors of the service come through: they are no answer.
    """
    of_service, _ = errors()
    try:
        return call()
    except of_service as error:
        code = str(getattr(error, "response", {}).get("Error", {}).get("Code", ""))
        if any(part in code for part in _UNKNOWN):
            return None
        raise


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
