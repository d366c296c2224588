"""`storage`: shared file systems, the bucket of checkpoints and home folders."""

from __future__ import annotations

from typing import Literal

from trnkit.config.lustre import ExistingLustreConfig, LustreConfig, RepositoryEvents
from trnkit.config.s3_mountpoint import S3MountpointConfig
from trnkit.config.storage_values import KmsKeyArn, ObjectPrefix
from trnkit.config.values import (
    Bool,
    GroupName,
    Int,
    IpAddressType,
    MountPath,
    Section,
    Text,
    setting,
)

TransitionClass = Literal["STANDARD_IA", "INTELLIGENT_TIERING", "GLACIER_IR"]


class CheckpointLifecycleConfig(Section):
    """What becomes of objects under one prefix as they age."""

    prefix: ObjectPrefix = setting(
        example="runs/", description="Beginning of the keys, without a leading slash."
    )
    expiration_days: Int | None = setting(
        None,
        ge=1,
        le=36_500,
        example=90,
        description="Days after which an object is removed; its versions go with the noncurrent "
        "ones. Left out: it stays.",
    )
    transition_days: Int | None = setting(
        None,
        ge=0,
        le=36_500,
        example=30,
        description="Days after which an object moves to `transition_storage_class`. Left out: "
        "it does not move.",
    )
    transition_storage_class: TransitionClass = setting(
        "INTELLIGENT_TIERING", description="Where it moves to; all of them answer at once."
    )


class CheckpointLinkConfig(Section):
    """A folder of a Lustre file system of this file, linked to the checkpoint bucket."""

    file_system: GroupName = setting(
        change="replaces", example="fsx", description="Name of the file system."
    )
    file_system_path: Text = setting(
        "/checkpoints",
        change="replaces",
        description="Folder in the file system: one leading slash, no trailing one.",
    )
    prefix: ObjectPrefix | None = setting(
        None,
        change="replaces",
        example="runs",
        description="Part of the bucket to link. Left out: all of it.",
    )
    auto_import_events: RepositoryEvents = setting(
        ("NEW", "CHANGED", "DELETED"),
        description="Changes in the bucket that show in the folder by themselves.",
    )
    auto_export_events: RepositoryEvents = setting(
        ("NEW", "CHANGED"),
        description="Changes in the folder that are written to the bucket by themselves. Left out: "
        "new and changed files; what is deleted from the folder stays in the bucket.",
    )


class CheckpointBucketConfig(Section):
    """An S3 bucket for checkpoints that all nodes may read and write, kept when the stack goes.

    It is versioned, encrypted, closed to the public and to connections without TLS.
    """

    kms_key_arn: KmsKeyArn | None = setting(
        None,
        example="arn:aws:kms:us-east-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab",
        description="Key of new objects; its policy must admit the account's IAM policies. Left "
        "out: S3's own keys (SSE-S3).",
    )
    abort_incomplete_multipart_upload_days: Int = setting(
        7,
        ge=1,
        le=365,
        description="Days after which the parts of an upload that never ended are removed.",
    )
    noncurrent_version_expiration_days: Int = setting(
        30,
        ge=1,
        le=36_500,
        description="Days for which an overwritten or deleted object can still be brought back.",
    )
    lifecycle: tuple[CheckpointLifecycleConfig, ...] = setting(
        (),
        max_length=50,
        description="What becomes of old checkpoints. Left out: they stay until you delete them.",
    )
    data_repository_association: CheckpointLinkConfig | None = setting(
        None,
        description="A folder of a Lustre file system linked to the bucket. Left out: none.",
    )


class HomeFileSystemConfig(Section):
    """An Amazon EFS file system for home folders and code, kept when the stack is deleted.

    Encrypted, with one mount target in the cluster's zone; the data itself is in several zones.
    """

    mount_path: MountPath = setting(
        "/home/shared", change="new nodes only", description="Where the nodes mount it."
    )
    kms_key_arn: KmsKeyArn | None = setting(
        None,
        change="destroys data",
        example="arn:aws:kms:us-east-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab",
        description="Key of the data. Left out: EFS's own AWS managed key.",
    )
    encryption_in_transit: Literal["preferred", "required"] = setting(
        "preferred",
        description="`preferred`: TLS where the image has the EFS mount helper, plain NFS inside "
        "the VPC where it has not (Ubuntu has no package of it). `required`: the file system "
        "refuses plain NFS, and nodes without the helper do not mount it.",
    )
    ip_address_type: IpAddressType = setting(
        "ipv4",
        change="replaces",
        description="Addresses of the mount target. `dualstack` wants a network that is so too. It "
        "is for the first deployment: EFS does not change a mount target, and refuses a second one "
        "in the zone.",
    )
    backup: Bool = setting(
        True, description="Daily backups by AWS Backup, kept for 35 days (EFS's own plan)."
    )
    transition_to_ia_days: Literal[7, 14, 30, 60, 90] | None = setting(
        30,
        description="Days without access after which a file moves to the cheaper class; it comes "
        "back with the first access. `null`: never.",
    )


class StorageConfig(Section):
    """Shared file systems and the bucket of checkpoints."""

    lustre_file_systems: tuple[LustreConfig, ...] = setting(
        (), max_length=10, description="FSx for Lustre file systems, all mounted on every node."
    )
    existing_lustre_file_systems: tuple[ExistingLustreConfig, ...] = setting(
        (), max_length=5, description="Lustre file systems that exist already, mounted as well."
    )
    checkpoint_bucket: CheckpointBucketConfig | None = setting(
        None, description="A bucket for checkpoints (`{}` for one with defaults). Left out: none."
    )
    home_file_system: HomeFileSystemConfig | None = setting(
        None, description="Home folders on EFS (`{}` for one with defaults). Left out: none."
    )
    s3_mountpoints: tuple[S3MountpointConfig, ...] = setting(
        (),
        max_length=10,
        description="S3 buckets that exist already, mounted with Mountpoint for Amazon S3 on every "
        "node. Left out: none.",
    )
