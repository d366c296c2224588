"""`storage.lustre_file_systems` and `storage.existing_lustre_file_systems`."""

from __future__ import annotations

from typing import Annotated, Literal

from trnkit.config.storage_values import (
    DailyTime,
    FileSystemId,
    KmsKeyArn,
    LogGroupArn,
    LustreMountName,
    SecurityGroupId,
    WeeklyTime,
)
from trnkit.config.values import Bool, EachOnce, GroupName, Int, MountPath, Section, Text, setting

RepositoryEvent = Literal["NEW", "CHANGED", "DELETED"]
RepositoryEvents = Annotated[tuple[RepositoryEvent, ...], EachOnce]
DeploymentType = Literal["SCRATCH_1", "SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"]
StorageType = Literal["SSD", "HDD", "INTELLIGENT_TIERING"]
MetadataMode = Literal["AUTOMATIC", "USER_PROVISIONED"]
ReadCacheMode = Literal["NO_CACHE", "USER_PROVISIONED", "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"]
LogLevel = Literal["WARN_ONLY", "ERROR_ONLY", "WARN_ERROR"]


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
    imported_file_chunk_size_mib: Int | None = setting(
        None,
        ge=1,
        le=512_000,
        example=1024,
        description="Stripe count and most data per disk of imported files, in MiB. Left out: "
        "FSx's own, 1024.",
    )
    auto_import_events: RepositoryEvents = setting(
        ("NEW", "CHANGED", "DELETED"),
        description="Changes in S3 that show in the file system by themselves. (The API's own "
        "default is none.)",
    )
    auto_export_events: RepositoryEvents = setting(
        (),
        description="Changes in the file system that are written to S3 by themselves. Left out: "
        "none, so that nothing in the bucket is changed or deleted unasked.",
    )


class MetadataConfig(Section):
    """Metadata performance of a PERSISTENT_2 file system. Its IOPS grow, and never shrink."""

    mode: MetadataMode = setting(
        description="`AUTOMATIC`: FSx follows the capacity. `USER_PROVISIONED`: as many as `iops`.",
    )
    iops: Int | None = setting(
        None,
        ge=1500,
        le=192_000,
        example=12000,
        description="Metadata IOPS for USER_PROVISIONED: 1500, 3000, 6000, 12000 or a multiple of "
        "12000. It can grow, never shrink.",
    )


class DataReadCacheConfig(Section):
    """The SSD read cache of an Intelligent-Tiering file system."""

    sizing_mode: ReadCacheMode = setting(
        "PROPORTIONAL_TO_THROUGHPUT_CAPACITY",
        description="How large the cache is: none, `size_gib`, or as the throughput asks for.",
    )
    size_gib: Int | None = setting(
        None,
        ge=0,
        le=2_147_483_647,
        example=32000,
        description="Size in GiB, for USER_PROVISIONED only; the limits grow with "
        "`throughput_capacity_mbps`.",
    )


class LustreLogConfig(Section):
    """Where FSx writes what goes wrong between the file system and S3."""

    level: LogLevel = setting("WARN_ERROR", description="Which events are written.")
    log_group_arn: LogGroupArn | None = setting(
        None,
        example="arn:aws:logs:us-east-2:111122223333:log-group:/aws/fsx/shared",
        description="An existing log group whose name begins with /aws/fsx. Left out: a new one of "
        "the cluster's, which is kept with the file system.",
    )


class LustreConfig(Section):
    """An Amazon FSx for Lustre file system, kept when the stack is deleted.

    Not offered: root squash, which has no property in CloudFormation (set it afterwards with
    `aws fsx update-file-system --lustre-configuration RootSquashConfiguration={RootSquash=uid:gid}`
    and no deployment undoes it), and the older import options ImportPath and ExportPath, which
    only SCRATCH_1 needs; the other types link S3 with `data_repository_associations`.
    """

    name: GroupName = setting(
        change="destroys data",
        example="scratch",
        description="Name, unique within the cluster. Another name is another, empty file system.",
    )
    deployment_type: DeploymentType = setting(
        "PERSISTENT_2",
        change="destroys data",
        description="`PERSISTENT_2`: replicated. `PERSISTENT_1`: the older kind, also with disks. "
        "`SCRATCH_2`: not replicated, for data that exists elsewhere. `SCRATCH_1`: the oldest, "
        "without links to S3. Where a region has no PERSISTENT_2, take another.",
    )
    storage_type: StorageType = setting(
        "SSD",
        change="destroys data",
        description="`SSD`; `HDD` for PERSISTENT_1; `INTELLIGENT_TIERING` (elastic, no capacity to "
        "plan, charged by use) for PERSISTENT_2.",
    )
    storage_capacity_gib: Int | None = setting(
        None,
        ge=1,
        le=10_000_000,
        example=4800,
        description="Size in GiB. SSD: 1200, 2400, or a multiple of 2400 (SCRATCH_1: of 3600). "
        "HDD: a multiple of 6000 at 12 MB/s per TiB, of 1800 at 40. It can grow, never shrink. To "
        "be left out for INTELLIGENT_TIERING, and for nothing else.",
    )
    per_unit_storage_throughput: Int | None = setting(
        None,
        example=250,
        description="MB/s per TiB. PERSISTENT_2 SSD: 125, 250, 500 or 1000. PERSISTENT_1 SSD: 50, "
        "100 or 200; HDD: 12 or 40. Left out: the lowest. To be left out for SCRATCH types and "
        "INTELLIGENT_TIERING. With `efa_enabled` it cannot be changed later.",
    )
    throughput_capacity_mbps: Int | None = setting(
        None,
        ge=1,
        le=2_000_000,
        example=4000,
        description="Throughput of an INTELLIGENT_TIERING file system as a whole, in MB/s: a "
        "multiple of 4000. It can grow, never shrink.",
    )
    data_read_cache: DataReadCacheConfig | None = setting(
        None,
        description="SSD read cache, for INTELLIGENT_TIERING. Left out there: one in proportion "
        "to the throughput.",
    )
    drive_cache_type: Literal["NONE", "READ"] | None = setting(
        None,
        change="destroys data",
        description="SSD cache before the disks, for HDD: `READ` caches a fifth of the data. Left "
        "out there: `NONE`.",
    )
    metadata_configuration: MetadataConfig | None = setting(
        None,
        change="destroys data",
        description="Metadata performance, for PERSISTENT_2 with Lustre 2.15. It is given when the "
        "file system is made or never: adding or removing it later means a new, empty one. What "
        "it says may change in place. INTELLIGENT_TIERING needs it, and so does `efa_enabled`.",
    )
    efa_enabled: Bool = setting(
        False,
        change="destroys data",
        description="Serve clients over EFA, for PERSISTENT_2 with a metadata configuration and a "
        "capacity that is a multiple of 38400 GiB at 125 MB/s per TiB, 19200 at 250, 9600 at 500, "
        "4800 at 1000. trn1 nodes use it; trn2 nodes mount over TCP all the same.",
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
        change="destroys data",
        description="Days to keep daily backups (PERSISTENT types without repository associations)."
        " Another number is taken in place. Switching backups on or off later also switches "
        "`copy_tags_to_backups`, which makes a new, empty file system: write that key beside it, "
        "with what it was, to stay in place. Left out: no automatic backups.",
    )
    copy_tags_to_backups: Bool | None = setting(
        None,
        change="destroys data",
        description="Whether backups carry the file system's tags, by which clean-up and cost "
        "reports find them; only chosen when the file system is made. Left out: true with "
        "automatic backups, else false.",
    )
    daily_automatic_backup_start_time: DailyTime | None = setting(
        None,
        example="05:00",
        description="When backups begin, as HH:MM in UTC. Left out: FSx chooses.",
    )
    weekly_maintenance_start_time: WeeklyTime | None = setting(
        None,
        example="7:03:00",
        description="When AWS may patch the servers, as d:HH:MM in UTC; 1 is Monday, 7 Sunday. "
        "Left out: FSx chooses.",
    )
    log_configuration: LustreLogConfig | None = setting(
        None, description="Log of what goes wrong with S3 links. Left out: none."
    )
    kms_key_arn: KmsKeyArn | None = setting(
        None,
        change="destroys data",
        example="arn:aws:kms:us-east-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab",
        description="Key of the data (PERSISTENT types). Left out: FSx's own AWS managed key.",
    )
    mount_path: MountPath = setting(
        "/fsx", change="new nodes only", description="Where the nodes mount it."
    )
    data_repository_associations: tuple[DataRepositoryAssociationConfig, ...] = setting(
        (), max_length=8, description="Folders linked to S3, at most 8, made one after the other."
    )


class ExistingLustreConfig(Section):
    """A Lustre file system that exists already, in the same region and reachable from the VPC.

    It is mounted and never changed; its DNS name follows from its id and the region.
    """

    name: GroupName = setting(
        example="corpus", description="Name, unique among the file systems of this file."
    )
    file_system_id: FileSystemId = setting(
        change="new nodes only", example="fs-0123456789abcdef0", description="Its id."
    )
    mount_name: LustreMountName = setting(
        change="new nodes only",
        example="abcdefgh",
        description="Its mount name, as `aws fsx describe-file-systems` prints it.",
    )
    mount_path: MountPath = setting(
        change="new nodes only", example="/corpus", description="Where the nodes mount it."
    )
    security_group_id: SecurityGroupId = setting(
        example="sg-0123456789abcdef0",
        description="The security group of its interfaces. The nodes' own group gets rules for "
        "Lustre's ports from and to it.",
    )
    change_security_group: Bool = setting(
        True,
        description="Whether that group, too, gets the rules for the nodes. Switch it off when "
        "somebody else keeps its rules; they must then admit the nodes' group (output "
        "NodeSecurityGroupId) themselves, both ways.",
    )
