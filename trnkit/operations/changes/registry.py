"""The CloudFormation registry's schemas, as cfn-lint ships them: what cannot be changed in place.

Source: https://docs.aws.amazon.com/cloudformation-cli/latest/userguide/resource-type-schema.html
"""

from __future__ import annotations

import functools
import importlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str | int, ...]

_ANY_REGION = "us-east-1"
_MAX_REFERENCES = 20
SCHEMA_PAGE = (
    "https://docs.aws.amazon.com/cloudformation-cli/latest/userguide/resource-type-schema.html"
)


@dataclass(frozen=True, slots=True)
class TypeSchema:
    """What the registry says of a resource type.

    Attributes:
        schema: The whole schema.
        create_only: Paths of properties that only a new resource can have otherwise.
        conditional: Paths of properties for which a new resource may be made.
        identifier: Properties that identify a resource of the type.
    """

    schema: Mapping[str, Any]
    create_only: tuple[tuple[str, ...], ...]
    conditional: tuple[tuple[str, ...], ...]
    identifier: tuple[tuple[str, ...], ...]

    def has_property(self, name: str) -> bool:
        """Whether the type has a property of that name, as far as the schema says."""
        return "patternProperties" in self.schema or _property(self.schema, name) is not None

    def is_create_only(self, path: Path) -> bool:
        """Whether a value lies in a property that only a new resource can have otherwise."""
        return any(_covers(pointer, path) for pointer in self.create_only)

    def is_conditional(self, path: Path) -> bool:
        """Whether a value lies in a property for which a new resource may be made."""
        return any(_covers(pointer, path) for pointer in self.conditional)

    def below(self, path: Path) -> tuple[tuple[str, ...], ...]:
        """Paths of create-only properties inside a value, relative to it."""
        return tuple(
            pointer[len(path) :]
            for pointer in self.create_only
            if len(pointer) > len(path) and _covers(pointer[: len(path)], path)
        )

    def is_unordered(self, path: Path) -> bool:
        """Whether the order of a list says nothing."""
        node = self._at(path)
        return node.get("insertionOrder") is False or node.get("uniqueItems") is True

    def _at(self, path: Path) -> Mapping[str, Any]:
        node = self._plain(self.schema)
        for part in path:
            inner = node.get("items") if isinstance(part, int) else _property(node, part)
            node = self._plain(inner)
        return node

    def _plain(self, node: Any) -> Mapping[str, Any]:
        """The schema itself, or the one that it refers to."""
        for _ in range(_MAX_REFERENCES):
            reference = node.get("$ref") if isinstance(node, Mapping) else None
            if not isinstance(reference, str):
                break
            node = self.schema
            for name in reference.removeprefix("#/").split("/"):
                node = node.get(name) if isinstance(node, Mapping) else None
        return node if isinstance(node, Mapping) else {}


@functools.cache
def find_schema(kind: str, region: str | None) -> TypeSchema | None:
    """The schema of a resource type.

    Args:
        kind: The type, `AWS::FSx::FileSystem`.
        region: Where it is; None, or a Region that the registry's copy does not have, for any.

    Returns:
        None for a type that the registry does not know (a custom resource, a third party's).
    """
    logging.getLogger("cfnlint").setLevel(logging.CRITICAL)
    # Imported here because it takes most of a second, which only a difference needs to pay.
    schemas: Any = importlib.import_module("cfnlint.schema")
    for place in dict.fromkeys((region or _ANY_REGION, _ANY_REGION)):
        try:
            found = schemas.PROVIDER_SCHEMA_MANAGER.get_resource_schema(place, kind).schema
        except (schemas.ResourceNotFoundError, KeyError):
            continue
        return TypeSchema(
            found,
            _pointers(found, "createOnlyProperties"),
            _pointers(found, "conditionalCreateOnlyProperties"),
            _pointers(found, "primaryIdentifier"),
        )
    return None


def _property(node: Mapping[str, Any], name: str) -> Any:
    properties = node.get("properties")
    return properties.get(name) if isinstance(properties, Mapping) else None


def _pointers(schema: Mapping[str, Any], key: str) -> tuple[tuple[str, ...], ...]:
    """Paths that a schema lists under a key; a `*` stands for every item."""
    return tuple(
        tuple(path.removeprefix("/properties/").replace("/properties/", "/").split("/"))
        for path in schema.get(key) or ()
    )


def _covers(pointer: tuple[str, ...], path: Path) -> bool:
    """Whether a path is the pointer's or below it."""
    if len(path) < len(pointer):
        return False
    pairs = zip(pointer, path, strict=False)
    return all(name in ("*", part) or (name == "*" or str(part) == name) for name, part in pairs)
