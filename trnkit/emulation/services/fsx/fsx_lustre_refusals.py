"""What FSx for Lustre refuses because its values do not go together.

Sources, unless another is named:
https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html
https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NoReturn

from trnkit.emulation.services import json_refusal

Described = Mapping[str, Any]
"""A file system as DescribeFileSystems tells it."""

THROUGHPUT: Mapping[tuple[str, str], tuple[int, ...]] = {
    ("PERSISTENT_1", "SSD"): (50, 100, 200),
    ("PERSISTENT_1", "HDD"): (12, 40),
    ("PERSISTENT_2", "SSD"): (125, 250, 500, 1000),
}
"""MB/s per TiB that a deployment type has on a storage type."""

_STORAGE_TYPES: Mapping[str, tuple[str, ...]] = {
    "SCRATCH_1": ("SSD",),
    "SCRATCH_2": ("SSD",),
    "PERSISTENT_1": ("SSD", "HDD"),
    "PERSISTENT_2": ("SSD", "INTELLIGENT_TIERING"),
}

_VERSIONS = ("2.10", "2.12", "2.15")

_METADATA_IOPS = (1500, 3000, 6000, *range(12_000, 192_001, 12_000))
_TIERED_METADATA_IOPS = (6000, 12_000)

# GiB and IOPS of automatic mode; above the last step, 12000 for each further 24000 GiB.
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/performance.html
_AUTOMATIC_IOPS = ((1200, 1500), (2400, 3000), (9600, 6000), (45_600, 12_000))

_TIERED_STEP = 4000
_CACHE_GIB = (32, 131_072)  # for each step of throughput

# https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html
_NO_PERSISTENT_2 = frozenset({"ap-south-2", "ap-southeast-4", "sa-east-1"})

_S3_PATH = re.compile(r"s3://(?P<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(/.*)?")
_LINKED = ("ImportPath", "ExportPath", "ImportedFileChunkSize", "AutoImportPolicy")


def reject(message: str, code: str = "BadRequest") -> NoReturn:
    """Refuse a request.

    Raises:
        JsonRESTError: Always.
    """
    json_refusal.refuse(code, message)


def automatic_iops(capacity: int) -> int:
    """Metadata IOPS that a capacity has in automatic mode."""
    for largest, iops in _AUTOMATIC_IOPS:
        if capacity <= largest:
            return iops
    return 12_000 * -(-capacity // 24_000)


def refuse_creation(request: Mapping[str, Any], region: str) -> None:
    """Refuse what a creation may not ask for.

    Args:
        request: The members of CreateFileSystem.
        region: The region's name.
    """
    given = request.get("LustreConfiguration")
    if given is None:
        reject("A LustreConfiguration is required.", "MissingFileSystemConfiguration")
    kind = given.get("DeploymentType", "SCRATCH_1")
    if kind == "PERSISTENT_2" and region in _NO_PERSISTENT_2:
        reject(f"Lustre deployment type PERSISTENT_2 is not supported in {region}.")
    if len(request["SubnetIds"]) != 1:
        reject("Exactly one subnet ID must be provided for a Lustre file system.")
    if request.get("KmsKeyId") and kind.startswith("SCRATCH"):
        reject(f"KmsKeyId is not supported for Lustre deployment type {kind}.")
    _refuse_import(given, kind)


def refuse_values(system: Described, place: tuple[str, str, str]) -> None:
    """Refuse what a file system cannot be, created or changed.

    Args:
        system: The file system as it would be.
        place: Partition, region and account.
    """
    lustre = system["LustreConfiguration"]
    kind, storage = lustre["DeploymentType"], system["StorageType"]
    if storage not in _STORAGE_TYPES[kind]:
        reject(f"Storage type {storage} is not supported for Lustre deployment type {kind}.")
    if system.get("NetworkType") == "DUAL":
        reject("NetworkType DUAL is not supported for Lustre file systems.")
    _refuse_version(system)
    _refuse_throughput(system)
    _refuse_capacity(system)
    _refuse_drive_cache(system)
    _refuse_metadata(system)
    _refuse_tiering(system)
    if lustre.get("EfaEnabled"):
        _refuse_efa(lustre)
    _refuse_backups(lustre)
    if lustre.get("LogConfiguration"):
        _refuse_log(lustre["LogConfiguration"], place)


def _refuse_version(system: Described) -> None:
    version, lustre = system["FileSystemTypeVersion"], system["LustreConfiguration"]
    kind = lustre["DeploymentType"]
    if version not in _VERSIONS:
        reject(f"Invalid FileSystemTypeVersion {version}. Valid values are {_listed(_VERSIONS)}.")
    if version == "2.10" and kind == "PERSISTENT_2":
        reject("FileSystemTypeVersion 2.10 is not supported for deployment type PERSISTENT_2.")
    if version != "2.15" and "MetadataConfiguration" in lustre:
        reject(f"FileSystemTypeVersion {version} does not support a metadata configuration.")


def _refuse_throughput(system: Described) -> None:
    lustre = system["LustreConfiguration"]
    kind, storage = lustre["DeploymentType"], system["StorageType"]
    value = lustre.get("PerUnitStorageThroughput")
    allowed = THROUGHPUT.get((kind, storage), ())
    if not allowed:
        if value is not None:
            reject(
                f"PerUnitStorageThroughput is not supported for deployment type {kind} "
                f"with storage type {storage}."
            )
        return
    if value is None:
        reject(f"PerUnitStorageThroughput is required for deployment type {kind}.")
    if value not in allowed:
        reject(
            f"Invalid PerUnitStorageThroughput {value} for deployment type {kind} with storage "
            f"type {storage}. Valid values are {_listed(allowed)}.",
            "InvalidPerUnitStorageThroughput",
        )


def _refuse_capacity(system: Described) -> None:
    lustre, capacity = system["LustreConfiguration"], system.get("StorageCapacity")
    kind, storage = lustre["DeploymentType"], system["StorageType"]
    if storage == "INTELLIGENT_TIERING":
        if capacity:
            reject("StorageCapacity is not supported for storage type INTELLIGENT_TIERING.")
        return
    if capacity is None:
        reject("StorageCapacity is required for this Lustre file system.")
    if storage == "HDD":
        step = 6000 if lustre.get("PerUnitStorageThroughput") == 12 else 1800
        first: tuple[int, ...] = ()
    else:
        step = 3600 if kind == "SCRATCH_1" else 2400
        first = (1200, 2400)
    if capacity not in first and (capacity <= 0 or capacity % step):
        begin = f"{_listed(first)} or " if first else ""
        # AWS's words: https://github.com/aws-samples/amazon-eks-autonomous-driving-data-service/issues/12
        reject(
            f"Invalid Lustre FS storage capacity: {capacity}. Must be {begin}a multiple of {step}."
        )


def _refuse_drive_cache(system: Described) -> None:
    cache = system["LustreConfiguration"].get("DriveCacheType")
    if system["StorageType"] == "HDD" and cache is None:
        reject("DriveCacheType is required for storage type HDD.")
    if system["StorageType"] != "HDD" and cache is not None:
        reject("DriveCacheType is only supported for storage type HDD.")


def _refuse_metadata(system: Described) -> None:
    lustre = system["LustreConfiguration"]
    metadata, tiered = lustre.get("MetadataConfiguration"), _is_tiered(system)
    if metadata is None:
        if tiered:
            reject("MetadataConfiguration is required for storage type INTELLIGENT_TIERING.")
        return
    if lustre["DeploymentType"] != "PERSISTENT_2":
        reject("MetadataConfiguration is only supported for deployment type PERSISTENT_2.")
    if metadata["Mode"] == "AUTOMATIC":
        if tiered:
            reject("Metadata mode AUTOMATIC is not supported for storage type INTELLIGENT_TIERING.")
        return
    iops = metadata.get("Iops")
    allowed = _TIERED_METADATA_IOPS if tiered else _METADATA_IOPS
    if iops is not None and iops not in allowed:
        reject(f"Invalid Metadata IOPS {iops}. Valid values are {_listed(allowed)}.")


def _refuse_tiering(system: Described) -> None:
    lustre = system["LustreConfiguration"]
    throughput = lustre.get("ThroughputCapacity")
    cache = lustre.get("DataReadCacheConfiguration")
    if not _is_tiered(system):
        if throughput is not None or cache is not None:
            reject(
                "ThroughputCapacity and DataReadCacheConfiguration are only supported for "
                "storage type INTELLIGENT_TIERING."
            )
        return
    if throughput is None or throughput % _TIERED_STEP:
        reject(f"ThroughputCapacity must be a multiple of {_TIERED_STEP} MBps.")
    if cache is None:
        reject("DataReadCacheConfiguration is required for storage type INTELLIGENT_TIERING.")
    size = cache.get("SizeGiB")
    if cache.get("SizingMode") != "USER_PROVISIONED":
        if size is not None:
            reject("SizeGiB is only supported for SizingMode USER_PROVISIONED.")
        return
    low, high = (edge * (throughput // _TIERED_STEP) for edge in _CACHE_GIB)
    if size is None or not low <= size <= high:
        reject(f"SizeGiB must be between {low} and {high} for {throughput} MBps.")


def _refuse_efa(lustre: Mapping[str, Any]) -> None:
    # https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html
    if lustre["DeploymentType"] != "PERSISTENT_2" or "MetadataConfiguration" not in lustre:
        reject(
            "EfaEnabled is only supported for deployment type PERSISTENT_2 with a "
            "metadata configuration."
        )


def _refuse_backups(lustre: Mapping[str, Any]) -> None:
    # https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-backups-fsx.html
    days = lustre.get("AutomaticBackupRetentionDays") or 0
    if days and lustre["DeploymentType"].startswith("SCRATCH"):
        reject("Backups are not supported for scratch file systems.")
    if days and "DataRepositoryConfiguration" in lustre:
        reject("Backups are not supported for file systems linked to a data repository.")
    if lustre.get("DailyAutomaticBackupStartTime") and not days:
        reject("DailyAutomaticBackupStartTime requires AutomaticBackupRetentionDays.")


def _refuse_log(log: Mapping[str, Any], place: tuple[str, str, str]) -> None:
    # https://docs.aws.amazon.com/fsx/latest/APIReference/API_LustreLogCreateConfiguration.html
    destination = log.get("Destination")
    if destination is None:
        return
    if log["Level"] == "DISABLED":
        reject("A log destination cannot be specified when the log level is DISABLED.")
    start = ":".join(("arn", place[0], "logs", place[1], place[2], "log-group", ""))
    if not destination.startswith(start):
        reject(
            f"Invalid log destination {destination}: it must be a log group in the same "
            "partition, Region and account as the file system."
        )
    if not destination.removeprefix(start).startswith("/aws/fsx"):
        reject("The name of the log group must begin with the /aws/fsx prefix.")


def _refuse_import(given: Mapping[str, Any], kind: str) -> None:
    # PERSISTENT_2 is in earlier texts of the source above; today's name associations alone.
    linked = [name for name in _LINKED if given.get(name) is not None]
    if linked and kind == "PERSISTENT_2":
        reject(f"{linked[0]} is not supported for PERSISTENT_2; use a data repository association.")
    source, target = given.get("ImportPath"), given.get("ExportPath")
    if source is None:
        if linked:
            reject(f"{linked[0]} requires an ImportPath.")
        return
    bucket = bucket_of(source)
    if bucket is None:
        reject(f"The import path {source} is not valid.", "InvalidImportPath")
    if target is not None and bucket_of(target) != bucket:
        reject(
            f"The export path {target} must be in the bucket of the import path.",
            "InvalidExportPath",
        )


def bucket_of(path: str) -> str | None:
    """The bucket of an S3 path, None when it is none."""
    match = _S3_PATH.fullmatch(path)
    return match["bucket"] if match else None


def _is_tiered(system: Described) -> bool:
    return system["StorageType"] == "INTELLIGENT_TIERING"


def _listed(values: tuple[Any, ...]) -> str:
    return ", ".join(map(str, values))
