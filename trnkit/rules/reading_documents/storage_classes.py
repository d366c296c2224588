"""Kubernetes storage classes of the FSx for Lustre CSI driver: each volume is a new file system.

Parameters are those of https://github.com/kubernetes-sigs/aws-fsx-csi-driver. The size is the
claim's, and the driver rounds it up to one that FSx has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.reading_documents.file_systems import DocumentFileSystem
from trnkit.rules.reading_documents.manifests import group_of, kind_of, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_value import DocumentValue

_DRIVER = "fsx.csi.aws.com"
_DEFAULT_DEPLOYMENT = "SCRATCH_1"
_OLD_LINKS = {
    "s3ImportPath": "ImportPath",
    "s3ExportPath": "ExportPath",
    "autoImportPolicy": "AutoImportPolicy",
}


def recognises(manifest: DocumentValue) -> bool:
    """Whether a manifest is a storage class of the driver."""
    is_class = (group_of(manifest), kind_of(manifest)) == ("storage.k8s.io", "StorageClass")
    return is_class and manifest["provisioner"].text() == _DRIVER


def read_file_systems(manifest: DocumentValue) -> Iterator[DocumentFileSystem]:
    """The file system that the driver makes for each claim."""
    settings = manifest["parameters"]
    if settings.mapping() is None or "dnsname" in (settings.mapping() or ()):
        return  # A class of folders in a file system that exists.
    yield DocumentFileSystem(
        name=f"StorageClass {name_of(manifest)}",
        value=settings,
        region=manifest.document.region,
        deployment=settings["deploymentType"],
        default_deployment=_DEFAULT_DEPLOYMENT,
        storage=settings["storageType"],
        capacity=settings.nothing(),
        throughput=settings["perUnitStorageThroughput"],
        drive_cache=settings["driveCacheType"],
        retention=settings["automaticBackupRetentionDays"],
        version=settings["fileSystemTypeVersion"],
        efa=settings["efaEnabled"],
        metadata=settings["metadataConfigurationMode"],
        is_restored=False,
        associations=(),
        old_links={
            name: settings[key] for key, name in _OLD_LINKS.items() if not settings[key].is_absent
        },
    )
