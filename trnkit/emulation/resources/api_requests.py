"""Requests from a template's properties, with the types that the service's model wants.

A template may say ``"300"`` for 300 and ``"true"`` for true: CloudFormation converts by the
service's types.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def request_of(client: Any, operation: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """Members of a request in the types of the service's model.

    Args:
        client: boto3's client of the service.
        operation: The operation's name, such as ``CreateBudget``.
        members: The members, as the template has them; those that are None are left out.
    """
    shape = client.meta.service_model.operation_model(operation).input_shape
    return _converted(shape, {k: v for k, v in members.items() if v is not None})


def _converted(shape: Any, value: Any) -> Any:
    if shape is None:
        return value
    kind = shape.type_name
    if isinstance(value, str) and kind in {"structure", "map", "list"}:
        value = _parsed(value)
    if isinstance(value, Mapping):
        if kind == "structure":
            return {k: _converted(shape.members.get(k), v) for k, v in value.items()}
        if kind == "map":
            return {str(k): _converted(shape.value, v) for k, v in value.items()}
    if isinstance(value, list) and kind == "list":
        return [_converted(shape.member, entry) for entry in value]
    return _scalar(kind, value)


def _parsed(value: str) -> Any:
    """What a JSON document in a text says; other text as it is."""
    try:
        return json.loads(value)
    except ValueError:
        return value


def _scalar(kind: str, value: Any) -> Any:
    if kind == "boolean" and isinstance(value, str) and value.lower() in {"true", "false"}:
        return value.lower() == "true"
    if kind in {"integer", "long"} and isinstance(value, str | float):
        return _whole(value)
    if kind in {"float", "double"} and isinstance(value, str):
        return _fraction(value)
    if kind == "string" and isinstance(value, bool):
        return str(value).lower()
    if kind == "string" and isinstance(value, int | float):
        return f"{value:.15g}"
    return value


def _whole(value: str | float) -> Any:
    try:
        number = float(value)
    except ValueError:
        return value
    return int(number) if number == int(number) else value


def _fraction(value: str) -> Any:
    try:
        return float(value)
    except ValueError:
        return value
