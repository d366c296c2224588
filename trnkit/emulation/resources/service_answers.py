"""What a service tells, in the shape and the words of the template it is compared with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from trnkit.emulation.resources.resource import own_tags


def in_words_of(given: Any, told: Any) -> Any:
    """What a service told, without differences that mean nothing.

    Numbers and booleans may be text on one side, lists that hold the same may be in another order,
    and a service fills in members that the template left to it. A value that differs stays as told.

    Args:
        given: What the template says, None where it says nothing.
        told: What the service says.
    """
    if isinstance(given, Mapping) and isinstance(told, Mapping):
        return {name: in_words_of(given[name], told[name]) for name in given if name in told}
    if isinstance(given, list) and isinstance(told, list):
        return _in_order_of(given, told)
    if given is not None and _plain(given) == _plain(told):
        return given
    return told


def properties_told(given: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """Properties as a service tells them, in the words of the template's.

    Properties that the template does not give are in the answer as the service tells them.

    Args:
        given: The template's properties.
        told: What the service says, by property name.
    """
    return {
        name: in_words_of(given[name], value) if name in given else value
        for name, value in told.items()
        if value is not None
    }


def tags_told(given: Any, told: Any) -> Any:
    """Tags that a service tells, without AWS's own, in the order of the template's."""
    return in_words_of(own_tags(given), own_tags(told))


def is_true(value: Any) -> bool:
    """A boolean of a template, where it may be text."""
    return str(value).lower() == "true"


def whole(value: Any) -> Any:
    """A whole number of a template, where it may be text; other things as they are."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return value


def _in_order_of(given: list[Any], told: list[Any]) -> list[Any]:
    left = list(told)
    answer: list[Any] = []
    for wanted in given:
        for place, entry in enumerate(left):
            same = in_words_of(wanted, entry)
            if same == wanted:
                answer.append(same)
                del left[place]
                break
        else:
            break
    else:
        return answer + left
    return [in_words_of(*pair) for pair in zip(given, told, strict=False)] + told[len(given) :]


def _plain(value: Any) -> Any:
    """A scalar as a number where it is one, as lower-case text where it is a boolean."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value.lower() if value.lower() in {"true", "false"} else value
    return json.dumps(value, sort_keys=True, default=str)
