"""Lustre file systems that documents of other tools make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import lustre_tier

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trnkit.catalog import LustreTier
    from trnkit.rules.reading_documents.document_value import DocumentValue


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFileSystem:
    """A new Lustre file system; one that exists already is nobody's to judge here.

    Attributes:
        name: As messages begin: `file system scratch`.
        value: Its settings.
        region: Its Region, when known.
        deployment: The setting for the deployment type.
        default_deployment: The type that the tool takes when none is written.
        storage: The setting for the storage type.
        capacity: Its size in GiB.
        throughput: MB/s per TiB.
        drive_cache: The drive cache.
        retention: Days that automatic backups are kept.
        version: Its Lustre version.
        efa: Whether it serves clients over EFA.
        metadata: Its metadata configuration, or the mode of one.
        is_restored: Whether it is made from a backup, which has most of this.
        associations: Its links to S3.
        old_links: Settings of the older kind of link, by the names that the API has for them.
    """

    name: str
    value: DocumentValue
    region: str | None
    deployment: DocumentValue
    default_deployment: str
    storage: DocumentValue
    capacity: DocumentValue
    throughput: DocumentValue
    drive_cache: DocumentValue
    retention: DocumentValue
    version: DocumentValue
    efa: DocumentValue
    metadata: DocumentValue
    is_restored: bool
    associations: tuple[DocumentValue, ...]
    old_links: Mapping[str, DocumentValue]

    @property
    def deployment_type(self) -> str | None:
        """Its deployment type; None when that is not known."""
        if self.deployment.is_absent:
            return None if self.is_restored else self.default_deployment
        return self.deployment.text()

    @property
    def tier(self) -> LustreTier | None:
        """What the catalogue says of deployment and storage type together."""
        kind = self.deployment_type
        medium = "SSD" if self.storage.is_absent else self.storage.text()
        return lustre_tier(kind, medium) if kind and medium else None
