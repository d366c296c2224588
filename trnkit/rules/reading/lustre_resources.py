"""Lustre file systems and their associations in templates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import lustre_tier
from trnkit.rules.reading.template_value import TemplateValue, properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import LustreTier
    from trnkit.rules.stack_set import Resource, StackSet

_FILE_SYSTEM = "AWS::FSx::FileSystem"
_ASSOCIATION = "AWS::FSx::DataRepositoryAssociation"


@dataclass(frozen=True, slots=True)
class LustreFileSystem:
    """A Lustre file system of a template.

    Attributes:
        resource: The resource.
        properties: Its properties.
        configuration: Its `LustreConfiguration`.
        deployment_type: Its type, the API's default when none is written; None when not known.
        tier: What the catalogue says of deployment and storage type together, where it knows them.
        associations: The associations of the set that link it.
    """

    resource: Resource
    properties: TemplateValue
    configuration: TemplateValue
    deployment_type: str | None
    tier: LustreTier | None
    associations: tuple[TemplateValue, ...]

    @property
    def name(self) -> str:
        """Its logical id."""
        return self.resource.logical_id


def lustre_file_systems(stack_set: StackSet) -> Iterator[LustreFileSystem]:
    """Every Lustre file system of the set."""
    links = [properties_of(resource) for resource in stack_set.resources(_ASSOCIATION)]
    for resource in stack_set.resources(_FILE_SYSTEM):
        properties = properties_of(resource)
        if properties["FileSystemType"].text() != "LUSTRE":
            continue
        configuration = properties["LustreConfiguration"]
        deployment, storage = configuration["DeploymentType"], properties["StorageType"]
        kind = "SCRATCH_1" if deployment.is_absent else deployment.text()
        medium = "SSD" if storage.is_absent else storage.text()
        yield LustreFileSystem(
            resource,
            properties,
            configuration,
            kind,
            lustre_tier(kind, medium) if kind and medium else None,
            tuple(a for a in links if a["FileSystemId"].referred(_FILE_SYSTEM) is resource),
        )
