"""The JSON Schema of the cluster file, for editors, and as what docs/config.md is made of."""

from __future__ import annotations

import inspect
import json
import re
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticCustomError

from trnkit.config import ClusterConfig
from trnkit.config import values as kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_DRAFT = "http://json-schema.org/draft-07/schema#"
_NUMBERS = {"number": "2.15", "integer": "012345678901"}
"""Kind of number -> one that a text may be written as without quotes."""
_CHANGES = {
    "new nodes only": "holds for nodes that start afterwards",
    "replaces nodes": "replaces the nodes",
    "replaces": "replaces what it describes",
    "destroys data": "makes another, empty one; the data does not move",
}


class _Generator(GenerateJsonSchema):
    """Pydantic's generator, which also looks into our own validators of text."""

    def function_before_schema(self, schema: Any) -> dict[str, Any]:
        """Text accepts an unquoted number as it is written."""
        made = super().function_before_schema(schema)
        if _function(schema) is vars(kinds)["_as_written"]:
            made["type"] = ["string", "number"]
        return made

    def function_after_schema(self, schema: Any) -> dict[str, Any]:
        """Text of a certain shape: its pattern, and the words of its refusal."""
        made = super().function_after_schema(schema)
        function = _function(schema)
        if not inspect.isfunction(function) or function.__module__ != kinds.__name__:
            return made
        if made.get("type") in ("array", "object"):
            return made  # What the function judges is the list, not a text.
        known = inspect.getclosurevars(function).nonlocals
        if isinstance(known.get("compiled"), re.Pattern):
            made["pattern"] = f"^(?:{known['compiled'].pattern})$".replace('\\"', '"')
            made["patternErrorMessage"] = f"must be {known['expected']}"
        numbers = [kind for kind, text in _NUMBERS.items() if _accepts(function, text)]
        made["type"] = ["string", numbers[0]] if numbers else "string"
        return made


def _accepts(check: Callable[[str], object], text: str) -> bool:
    try:
        check(text)
    except PydanticCustomError:
        return False
    return True


def _function(schema: Mapping[str, Any]) -> Any:
    return schema["function"]["function"]


def model_schema() -> dict[str, Any]:
    """The schema as pydantic and our validators describe it, `change` and examples kept."""
    return ClusterConfig.model_json_schema(schema_generator=_Generator)


def render() -> str:
    """The schema as editors take it (draft 7, which the YAML language server knows best)."""
    made = model_schema()
    schema = {
        "$schema": _DRAFT,
        "$comment": "Made by `make docs` from trnkit/config. Do not edit.",
        **_for_editors(made, made["$defs"]),
        "title": "trnkit cluster file",
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _for_editors(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_for_editors(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    kept: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("properties", "$defs"):
            kept[key] = {name: _for_editors(child, definitions) for name, child in value.items()}
        elif key not in ("title", "change"):
            kept[key] = _for_editors(value, definitions)
    if "patternProperties" in kept:
        kept["additionalProperties"] = False
    if "$ref" in kept and "change" in node:
        # Draft 7 ignores whatever stands beside a reference.
        name = kept["$ref"].rpartition("/")[2]
        kept.setdefault("description", definitions[name]["description"])
        kept = {"allOf": [{"$ref": kept.pop("$ref")}], **kept}
    elif node.get("change") in _CHANGES:
        kept["description"] += f" Changing it later {_CHANGES[node['change']]}."
    return kept
