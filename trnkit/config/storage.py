"""`storage`: shared file systems."""

from __future__ import annotations

from typing import Literal

from trnkit.config.values import Bool, GroupName, Int, MountPath, Section, Text, setting

RepositoryEvent = Literal["NEW", "CHANGED", "DELETED"]


class DataRepositoryAssociationConfig(Section):
    """A folder of a Lustre file system linked to an S3 bucket or prefix."""

    file_system_path: Text = setting(
        change="replaces",
        example="/data",
        description="Folder in the file system: one leading slash, no trailing one.",
    )
    data_repository_path: Text = setting(
        change="replaces",
        example="s3://example-bucket/corpus",
        description="`s3://bucket` or `s3://bucket/prefix`, in the same account.",
    )
    batch_import_meta_data_on_create: Bool = setting(
        False,
        change="replaces",
        description="Import the metadata of all objects when the association is made.",
    )
    auto_import_events: tuple[RepositoryEvent, ...] = setting(
        ("NEW", "CHANGED", "DELETED"),
        description="Changes in S3 that show in the file system by themselves. (The API's own "
        "default is none.)",
    )
    auto_export_events: tuple[RepositoryEvent, ...] = setting(
        (),
        description="Changes in the file system that are written to S3 by themselves. Left out: "
        "none, so that nothing in the bucket is changed or deleted unasked.",
    )


class LustreConfig(Section):
    """An Amazon FSx for Lustre file system, kept when the stack is deleted."""

    name: GroupName = setting(
        change="destroys data",
        example="scratch",
        description="Name, unique within the cluster. Another name is another, empty file system.",
    )
    deployment_type: Literal["SCRATCH_2", "PERSISTENT_2"] = setting(
        "PERSISTENT_2",
        change="destroys data",
        description="`PERSISTENT_2`: replicated. `SCRATCH_2`: not replicated, for data that exists "
        "elsewhere; the one choice where the region has no PERSISTENT_2.",
    )
    storage_capacity_gib: Int = setting(
        ge=1,
        le=10_000_000,
        example=4800,
        description="Size in GiB: 1200, 2400, or a multiple of 2400. It can grow, never shrink.",
    )
    per_unit_storage_throughput: Int | None = setting(
        None,
        example=250,
        description="MB/s per TiB for PERSISTENT_2: 125, 250, 500 or 1000. Left out: 125 for "
        "PERSISTENT_2, and it must be left out for SCRATCH_2.",
    )
    file_system_type_version: Text = setting(
        "2.15",
        change="destroys data",
        description="Lustre version of the servers; 2.15 serves every client AWS supports.",
    )
    data_compression_type: Literal["NONE", "LZ4"] = setting(
        "LZ4", description="Compression of newly written files."
    )
    automatic_backup_retention_days: Int | None = setting(
        None,
        ge=1,
        le=90,
        description="Days to keep daily backups (PERSISTENT_2 without repository associations). "
        "Left out: no automatic backups.",
    )
    mount_path: MountPath = setting(
        "/fsx", change="new nodes only", description="Where the nodes mount it."
    )
    data_repository_associations: tuple[DataRepositoryAssociationConfig, ...] = setting(
        (), max_length=8, description="Folders linked to S3, at most 8."
    )


class StorageConfig(Section):
    """Shared file systems."""

    lustre_file_systems: tuple[LustreConfig, ...] = setting(
        (), max_length=10, description="FSx for Lustre file systems, all mounted on every node."
    )
