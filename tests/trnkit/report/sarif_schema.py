"""The parts of the SARIF 2.1.0 schema that a log of ours touches, written down as JSON Schema.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json.
As there, an object has no properties but those that are named, except for property bags.
"""

from __future__ import annotations

from typing import Any


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    bag = {"properties": {"type": "object"}}
    return {
        "type": "object",
        "properties": properties | bag,
        "required": list(required),
        "additionalProperties": False,
    }


def _list(items: dict[str, Any], *, unique: bool = False) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": 0, "uniqueItems": unique}


_TEXT = {"type": "string"}
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_MESSAGE = _object({"text": _TEXT, "markdown": _TEXT}, "text")
_FROM_ONE = {"type": "integer", "minimum": 1}

_RULE = _object(
    {
        "id": _TEXT,
        "name": _TEXT,
        "shortDescription": _MESSAGE,
        "fullDescription": _MESSAGE,
        "help": _MESSAGE,
        "helpUri": {"type": "string", "format": "uri"},
        "defaultConfiguration": _object({"enabled": {"type": "boolean"}, "level": _LEVEL}),
    },
    "id",
)
_DRIVER = _object(
    {
        "name": _TEXT,
        "version": _TEXT,
        "informationUri": {"type": "string", "format": "uri"},
        "rules": _list(_RULE, unique=True),
    },
    "name",
)
_REGION = _object(
    {
        "startLine": _FROM_ONE,
        "startColumn": _FROM_ONE,
        "endLine": _FROM_ONE,
        "endColumn": _FROM_ONE,
    }
)
_ARTIFACT = _object(
    {"uri": {"type": "string", "format": "uri-reference"}, "uriBaseId": _TEXT},
)
_LOGICAL = _object({"name": _TEXT, "fullyQualifiedName": _TEXT, "kind": _TEXT})
_LOCATION = _object(
    {
        "physicalLocation": _object(
            {"artifactLocation": _ARTIFACT, "region": _REGION}, "artifactLocation"
        ),
        "logicalLocations": _list(_LOGICAL, unique=True),
    }
)
_SUPPRESSION = _object(
    {
        "kind": {"enum": ["inSource", "external"]},
        "status": {"enum": ["accepted", "underReview", "rejected"]},
        "justification": _TEXT,
    },
    "kind",
)
_RESULT = _object(
    {
        "ruleId": _TEXT,
        "ruleIndex": {"type": "integer", "minimum": -1},
        "level": _LEVEL,
        "message": _MESSAGE,
        "locations": _list(_LOCATION),
        "suppressions": _list(_SUPPRESSION, unique=True),
    },
    "message",
)
_RUN = _object(
    {
        "tool": _object({"driver": _DRIVER}, "driver"),
        "invocations": _list(
            _object({"executionSuccessful": {"type": "boolean"}}, "executionSuccessful")
        ),
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "results": _list(_RESULT),
    },
    "tool",
)
LOG = _object(
    {"$schema": {"type": "string"}, "version": {"const": "2.1.0"}, "runs": _list(_RUN)},
    "version",
    "runs",
)  # fmt: skip
