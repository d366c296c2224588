"""What FSx for Lustre refuses to change.

Source: https://docs.aws.amazon.com/fsx/latest/APIReference/API_UpdateFileSystem.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trnkit.emulation.services.fsx.fsx_lustre_refusals import automatic_iops, reject


def refuse_change(
    before: Mapping[str, Any], after: Mapping[str, Any], request: Mapping[str, Any]
) -> None:
    """Refuse a change that cannot be made from what is there.

    Args:
        before: The file system as it is.
        after: The file system as it would be.
        request: The members of UpdateFileSystem.
    """
    was, asked = before["LustreConfiguration"], request.get("LustreConfiguration") or {}
    if request.get("StorageType", before["StorageType"]) != before["StorageType"]:
        reject("The storage type of a Lustre file system cannot be changed.")
    _refuse_version(before, after)
    if "MetadataConfiguration" in asked:
        if _grows(before, request) and _metadata_grows(before, after):
            reject("Metadata performance and storage capacity cannot be scaled concurrently.")
        _refuse_metadata(before, after)
    _refuse_capacity(before, request)
    if asked.get("PerUnitStorageThroughput", was.get("PerUnitStorageThroughput")) != was.get(
        "PerUnitStorageThroughput"
    ):
        # https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-throughput-capacity.html
        if before["StorageType"] != "SSD":
            reject("The throughput of this Lustre file system cannot be changed.")
        if was.get("EfaEnabled"):
            reject("The throughput of an EFA-enabled SSD file system cannot be changed.")
    throughput = asked.get("ThroughputCapacity")
    if throughput is not None and throughput < was.get("ThroughputCapacity", 0):
        reject("ThroughputCapacity can only be increased.")
    if asked.get("AutoImportPolicy") and "DataRepositoryConfiguration" not in was:
        reject("AutoImportPolicy requires a file system with an import path.")


def _refuse_version(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    old, new = before["FileSystemTypeVersion"], after["FileSystemTypeVersion"]
    if old != new and _number(new) <= _number(old):
        reject(f"FileSystemTypeVersion must be newer than the current {old}.")


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _grows(before: Mapping[str, Any], request: Mapping[str, Any]) -> bool:
    return (request.get("StorageCapacity") or 0) > (before.get("StorageCapacity") or 0)


def _refuse_capacity(before: Mapping[str, Any], request: Mapping[str, Any]) -> None:
    # https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-storage-capacity.html
    asked = request.get("StorageCapacity")
    if asked is None:
        return
    lustre = before["LustreConfiguration"]
    if lustre["DeploymentType"] == "SCRATCH_1":
        reject("The storage capacity of a SCRATCH_1 file system cannot be increased.")
    if asked <= before.get("StorageCapacity", 0):
        reject(
            f"StorageCapacity {asked} must be greater than the current "
            f"{before.get('StorageCapacity', 0)}."
        )
    metadata = lustre.get("MetadataConfiguration", {"Mode": "AUTOMATIC"})
    needed = automatic_iops(asked)
    if metadata["Mode"] == "USER_PROVISIONED" and metadata["Iops"] < needed:
        # https://github.com/hashicorp/terraform-provider-aws/pull/44456
        reject(
            f"Metadata IOPS {metadata['Iops']} must be increased to at least {needed} before the "
            f"storage capacity is {asked}."
        )


def _metadata_grows(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    old = before["LustreConfiguration"].get("MetadataConfiguration", {})
    new = after["LustreConfiguration"]["MetadataConfiguration"]
    return new["Mode"] == "USER_PROVISIONED" and new.get("Iops", 0) > old.get("Iops", 0)


def _refuse_metadata(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    # https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-metadata-performance.html
    old = before["LustreConfiguration"].get("MetadataConfiguration")
    if old is None:
        reject(
            "A metadata configuration cannot be added to a file system that was created "
            "without one."
        )
    new = after["LustreConfiguration"]["MetadataConfiguration"]
    if new.get("Iops", old["Iops"]) < old["Iops"]:
        reject(f"Metadata IOPS cannot be decreased below the current {old['Iops']}.")
