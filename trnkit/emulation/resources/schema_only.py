"""Resource types of which nothing is known but their schema in the CloudFormation registry."""

from __future__ import annotations

import copy
from typing import Any

from trnkit.emulation.resources import registry_schema
from trnkit.emulation.resources.resource import (
    Clients,
    Made,
    Place,
    Proof,
    Properties,
    random_id,
)


class SchemaOnly:
    """A type without a service behind it: checked, kept, and named as such in every report."""

    proof = Proof.SCHEMA

    def __init__(self, name: str) -> None:
        self.name = name
        self._kept: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}

    def create(self, place: Place, properties: Properties) -> Made:
        """Keep the properties; ids and attributes are made as the schema names them."""
        schema = registry_schema.schema_of(self.name, place.region)
        attributes = {
            ".".join(path): self._attribute(path[-1], place)
            for path in registry_schema.pointers(schema, "readOnlyProperties")
        }
        parts = [
            str(
                registry_schema.at(properties, path)
                or attributes.get(".".join(path))
                or self._attribute(path[-1], place)
            )
            for path in registry_schema.pointers(schema, "primaryIdentifier")
        ]
        physical_id = "|".join(parts)
        self._kept[physical_id] = (copy.deepcopy(dict(properties)), attributes)
        return Made(physical_id, attributes)

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Keep the new properties."""
        _, attributes = self._kept.get(made.physical_id, ({}, {}))
        self._kept[made.physical_id] = (copy.deepcopy(dict(new)), attributes)
        return Made(made.physical_id, attributes)

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Forget it."""
        self._kept.pop(physical_id, None)

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """Nothing: no service can be asked."""
        return {} if physical_id in self._kept else None

    def _attribute(self, name: str, place: Place) -> str:
        _, service, kind = self.name.split("::")
        if name.lower().endswith("arn"):
            return place.arn(service.lower(), f"{kind.lower()}/{random_id(17)}")
        if name.lower().endswith("id"):
            return f"{kind.lower()}-{random_id(17)}"
        if name in {"Name", "GroupName", f"{kind}Name"}:
            return place.name()
        return f"{name.lower()}-{random_id(8)}"
