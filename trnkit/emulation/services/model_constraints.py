"""Constraints of botocore's service models, which AWS checks and neither boto3 nor moto does.

boto3 checks types and required members before it sends; services check enumerations, patterns and
lengths. Source: https://smithy.io/2.0/spec/constraint-traits.html
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from trnkit.emulation.services.json_refusal import refuse

ValidationProblem = tuple[str, str, str]
"""The value, where it is and what it must satisfy."""


def check_request(service: str, operation: str, request: Mapping[str, Any]) -> None:
    """Refuse a request as AWS's services do before they look at what it means.

    Args:
        service: boto3's name of the service.
        operation: The operation's name, such as ``CreateFileSystem``.
        request: Its members.

    Raises:
        JsonRESTError: ``ValidationException``, with every problem.
    """
    if told := complaint(service, operation, request):
        refuse("ValidationException", told)


def complaint(service: str, operation: str, request: Mapping[str, Any]) -> str | None:
    """What is wrong with a request, in the words of AWS's services; None: nothing.

    Args:
        service: boto3's name of the service.
        operation: The operation's name.
        request: Its members.
    """
    shape = _model(service).operation_model(operation).input_shape
    problems = [*_problems(shape, request, "")]
    if not problems:
        return None
    count = len(problems)
    told = "; ".join(
        f"Value '{value}' at '{where}' failed to satisfy constraint: {must}"
        for value, where, must in problems
    )
    noun = "error" if count == 1 else "errors"
    return f"{count} validation {noun} detected: {told}"


def enumerated(service: str, shape: str) -> tuple[str, ...]:
    """The values that a service's model lists for a shape."""
    return tuple(_model(service).shape_for(shape).enum)


@functools.cache
def _model(service: str) -> Any:
    from botocore.loaders import Loader
    from botocore.model import ServiceModel

    return ServiceModel(Loader().load_service_model(service, "service-2"), service)


def _problems(shape: Any, value: Any, where: str) -> Iterator[ValidationProblem]:
    if value is None or shape is None:
        return
    kind = shape.type_name
    if kind == "structure" and isinstance(value, Mapping):
        for name, inner in shape.members.items():
            at = f"{where}.{_camel(name)}" if where else _camel(name)
            yield from _problems(inner, value.get(name), at)
    elif kind == "list" and isinstance(value, list):
        yield from _of_length(shape, value, where, f"{len(value)} members")
        for place, entry in enumerate(value, 1):
            yield from _problems(shape.member, entry, f"{where}.{place}.member")
    elif kind == "map" and isinstance(value, Mapping):
        for name, entry in value.items():
            yield from _problems(shape.value, entry, f"{where}.{name}.member")
    elif kind == "string" and isinstance(value, str):
        yield from _of_text(shape, value, where)
    elif kind in _NUMBERS and isinstance(value, int | float) and not isinstance(value, bool):
        low, high = shape.metadata.get("min"), shape.metadata.get("max")
        if low is not None and value < low:
            yield str(value), where, f"Member must have value greater than or equal to {low}"
        if high is not None and value > high:
            yield str(value), where, f"Member must have value less than or equal to {high}"


_NUMBERS = frozenset({"integer", "long", "float", "double"})


def _of_text(shape: Any, value: str, where: str) -> Iterator[ValidationProblem]:
    if shape.enum and value not in shape.enum:
        yield value, where, f"Member must satisfy enum value set: [{', '.join(shape.enum)}]"
    yield from _of_length(shape, value, where, value)
    pattern = shape.metadata.get("pattern")
    compiled = _compiled(pattern) if pattern else None
    if compiled is not None and compiled.fullmatch(value) is None:
        yield value, where, f"Member must satisfy regular expression pattern: {pattern}"


def _of_length(shape: Any, value: Any, where: str, shown: str) -> Iterator[ValidationProblem]:
    low, high = shape.metadata.get("min"), shape.metadata.get("max")
    if low is not None and len(value) < low:
        yield shown, where, f"Member must have length greater than or equal to {low}"
    if high is not None and len(value) > high:
        yield shown, where, f"Member must have length less than or equal to {high}"


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str] | None:
    """A pattern of Java's, None where Python does not know it, such as classes of letters."""
    try:
        return re.compile(pattern)
    except re.error:
        return None


def _camel(name: str) -> str:
    return name[:1].lower() + name[1:]
