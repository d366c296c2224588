"""The CloudFormation registry's schemas, as cfn-lint ships them.

CloudFormation checks every resource against the schema of its type before it calls the service.
Source: https://docs.aws.amazon.com/cloudformation-cli/latest/userguide/resource-type-schema.html
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from trnkit.emulation.borrowed import module
from trnkit.emulation.resources.resource import Properties, Refused


class UnknownType(Exception):
    """The registry of a region has no such type."""


@functools.cache
def schema_of(type_name: str, region: str) -> dict[str, Any]:
    """The schema of a resource type in a region.

    Raises:
        UnknownType: The registry of the region has no such type.
    """
    schemas = module("cfnlint.schema")
    try:
        return schemas.PROVIDER_SCHEMA_MANAGER.get_resource_schema(region, type_name).schema
    except schemas.ResourceNotFoundError as error:
        raise UnknownType(type_name) from error


def prepare() -> None:
    """Import what reads the schemas, which takes a while, before somebody waits for it."""
    module("cfnlint.schema")
    module("jsonschema")


def pointers(schema: Mapping[str, Any], key: str) -> list[tuple[str, ...]]:
    """Paths that a schema lists under a key such as ``createOnlyProperties``."""
    return [
        tuple(path.removeprefix("/properties/").split("/"))
        for path in schema.get(key) or ()
        if "*" not in path
    ]


def at(properties: Any, path: Iterable[str]) -> Any:
    """The value at a path, None where there is nothing."""
    for name in path:
        properties = properties.get(name) if isinstance(properties, Mapping) else None
    return properties


def replaces(type_name: str, region: str, old: Properties, new: Properties) -> bool:
    """Whether a change makes CloudFormation create another resource."""
    schema = schema_of(type_name, region)
    return any(at(old, path) != at(new, path) for path in pointers(schema, "createOnlyProperties"))


def check(type_name: str, region: str, properties: Properties) -> None:
    """What CloudFormation checks before it calls a service.

    Raises:
        Refused: The properties do not fit the schema; CloudFormation's words.
    """
    problems = [*_problems(_validator(type_name, region), _with_numbers(properties))]
    if problems:
        shown = "; ".join(problems[:3]) + ("; ..." if len(problems) > 3 else "")
        raise Refused(f"Properties validation failed for resource of type {type_name}: {shown}")


@functools.cache
def _validator(type_name: str, region: str) -> Any:
    jsonschema = module("jsonschema")
    schema = schema_of(type_name, region)
    kept = _readable({k: v for k, v in schema.items() if k not in _NOT_JUDGED})
    # CloudFormation refuses what the service itself sets; cfn-lint's schemas keep it in properties.
    read_only = {
        path[0]
        for path in pointers(schema, "readOnlyProperties")
        if len(path) == 1 and path not in pointers(schema, "createOnlyProperties")
    }
    kept["properties"] = {
        name: value for name, value in kept["properties"].items() if name not in read_only
    }
    kept["additionalProperties"] = False
    checker = jsonschema.Draft7Validator.TYPE_CHECKER.redefine_many(_COERCED)
    keywords = {name: _of_numbers(name) for name in _NUMBER_KEYWORDS}
    validator = jsonschema.validators.extend(
        jsonschema.Draft7Validator,
        {"pattern": _pattern, "enum": _enum, **keywords},
        type_checker=checker,
    )
    return validator(kept)


def _readable(schema: Any) -> Any:
    """A schema whose patterns for names are such that jsonschema, which uses ``re``, can read."""
    if isinstance(schema, list):
        return [_readable(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    named = {str(key): _readable(value) for key, value in schema.items()}
    names = named.get("patternProperties")
    if isinstance(names, dict):
        named["patternProperties"] = {
            (name if _compiles(name) else ".*"): value for name, value in names.items()
        }
    return named


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def _pattern(validator: Any, pattern: str, text: Any, schema: Any) -> Iterable[Any]:
    """JSON Schema's keyword, for the patterns of ECMAScript, which has Unicode classes."""
    regex, jsonschema = module("regex"), module("jsonschema")
    if not isinstance(text, str) or _MATCHES_NOTHING.search(pattern):
        return
    # Of a capacity reservation's placement group AWS publishes a pattern that nothing can match.
    possible = pattern.replace("placement-group/^", "placement-group/")
    try:
        fits = regex.search(possible, text, timeout=1)
    except (regex.error, TimeoutError):
        return
    if fits is None:
        yield jsonschema.ValidationError(f"{text[:100]!r} does not match {pattern!r}")


# The begin of the text after something else. EC2's own reference gives the ARN of a placement group
# so, and its API takes such ARNs nevertheless.
# Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateCapacityReservation.html
_MATCHES_NOTHING = re.compile(r"[\w/:]\^")

_NUMBER_KEYWORDS = ("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf")


def _of_numbers(keyword: str) -> Any:
    """JSON Schema's keyword, for a number that may be text, of a schema that allows text too."""
    plain = module("jsonschema").Draft7Validator.VALIDATORS[keyword]

    def judged(validator: Any, limit: Any, value: Any, schema: Any) -> Iterable[Any]:
        if isinstance(value, str):
            if "string" in str(schema.get("type", "")) or not _is_number(value):
                return ()
            value = float(value)
        return plain(validator, limit, value, schema) or ()

    return judged


def _enum(validator: Any, allowed: Any, value: Any, schema: Any) -> Iterable[Any]:
    """JSON Schema's keyword, for values that may be text."""
    texts = {str(item).lower() if isinstance(item, bool) else str(item) for item in allowed}
    told = str(value).lower() if isinstance(value, bool) else str(value)
    if value not in allowed and told not in texts:
        yield module("jsonschema").ValidationError(f"{value!r} is not one of {allowed!r}")


# CloudFormation takes text for numbers and booleans, and the other way round.
def _is_boolean(checker: Any, value: Any) -> bool:
    return isinstance(value, bool) or value in ("true", "false")


def _is_integer(checker: Any, value: Any) -> bool:
    return _is_number(value) and float(value).is_integer()


def _is_any_number(checker: Any, value: Any) -> bool:
    return _is_number(value)


def _is_text(checker: Any, value: Any) -> bool:
    return isinstance(value, (str, int, float, bool))


_COERCED = {
    "boolean": _is_boolean,
    "integer": _is_integer,
    "number": _is_any_number,
    "string": _is_text,
}


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return False
    try:
        return math.isfinite(float(value))
    except ValueError:
        return False


# Hints for editors and cfn-lint's own keywords, which JSON Schema does not know.
_NOT_JUDGED = frozenset({"readOnlyProperties", "writeOnlyProperties", "handlers", "tagging"})


def _problems(validator: Any, properties: Any) -> Iterable[str]:
    for error in sorted(validator.iter_errors(properties), key=lambda e: list(map(str, e.path))):
        where = "/".join(map(str, ("#", *error.path)))
        yield f"{where}: {error.message[:300]}"


def _with_numbers(value: Any) -> Any:
    """Properties as they come to the schema: through JSON, so tuples are lists and keys text."""
    return json.loads(json.dumps(value, default=str))
