"""Settings that only some Lustre file systems have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from constructs_lib.arguments import flag, one_of, text, whole_number
from trnkit.config.storage_values import DailyTime, LogGroupArn, WeeklyTime

StorageType = Literal["SSD", "HDD", "INTELLIGENT_TIERING"]
MetadataMode = Literal["AUTOMATIC", "USER_PROVISIONED"]
ReadCacheMode = Literal["NO_CACHE", "USER_PROVISIONED", "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"]
LogLevel = Literal["WARN_ONLY", "ERROR_ONLY", "WARN_ERROR"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreOptions:
    """Settings that only some Lustre file systems have.

    Storage type, drive cache, metadata configuration (as such), EFA and the copying of tags are
    chosen when the file system is made: a change of one of them makes another, empty file system.

    Attributes:
        storage_type: `SSD`; `HDD` with PERSISTENT_1; `INTELLIGENT_TIERING` with PERSISTENT_2.
        throughput_capacity_mbps: MB/s of an Intelligent-Tiering file system as a whole.
        data_read_cache_sizing_mode: SSD read cache of Intelligent-Tiering. None takes one in
            proportion to the throughput.
        data_read_cache_size_gib: Its size, with `USER_PROVISIONED` only.
        drive_cache_type: `READ` or `NONE` before disks. None takes `NONE` for HDD.
        metadata_mode: Mode of the metadata configuration. None gives none.
        metadata_iops: Metadata IOPS, with `USER_PROVISIONED` only.
        efa_enabled: Serve clients over EFA. All traffic, not the Lustre ports alone, is then
            admitted among the servers and their clients, by reference, as EFA needs it.
        log_level: What FSx logs about links to S3. None logs nothing.
        log_group_arn: Log group, without `:*` at its end, whose name begins with /aws/fsx. None
            makes one.
        weekly_maintenance_start_time: d:HH:MM in UTC, 1 for Monday. None lets FSx choose.
        daily_automatic_backup_start_time: HH:MM in UTC. None lets FSx choose.
        copy_tags_to_backups: Whether backups carry the file system's tags. None takes true with
            automatic backups, and nothing without. Write it when backups are switched on or off
            later, with what it was before.

    Raises:
        ConstructError: A value of another kind, or a time of another shape.
    """

    storage_type: StorageType = "SSD"
    throughput_capacity_mbps: int | None = None
    data_read_cache_sizing_mode: ReadCacheMode | None = None
    data_read_cache_size_gib: int | None = None
    drive_cache_type: Literal["NONE", "READ"] | None = None
    metadata_mode: MetadataMode | None = None
    metadata_iops: int | None = None
    efa_enabled: bool = False
    log_level: LogLevel | None = None
    log_group_arn: str | None = None
    weekly_maintenance_start_time: str | None = None
    daily_automatic_backup_start_time: str | None = None
    copy_tags_to_backups: bool | None = None

    def __post_init__(self) -> None:
        one_of("storage_type", self.storage_type, get_args(StorageType))
        modes = get_args(ReadCacheMode)
        one_of(
            "data_read_cache_sizing_mode", self.data_read_cache_sizing_mode, modes, optional=True
        )
        one_of("drive_cache_type", self.drive_cache_type, ("NONE", "READ"), optional=True)
        one_of("metadata_mode", self.metadata_mode, get_args(MetadataMode), optional=True)
        one_of("log_level", self.log_level, get_args(LogLevel), optional=True)
        for name in ("throughput_capacity_mbps", "data_read_cache_size_gib", "metadata_iops"):
            whole_number(name, getattr(self, name), least=0, optional=True)
        flag("efa_enabled", self.efa_enabled)
        flag("copy_tags_to_backups", self.copy_tags_to_backups, optional=True)
        text("log_group_arn", self.log_group_arn, LogGroupArn, optional=True)
        weekly, daily = self.weekly_maintenance_start_time, self.daily_automatic_backup_start_time
        text("weekly_maintenance_start_time", weekly, WeeklyTime, optional=True)
        text("daily_automatic_backup_start_time", daily, DailyTime, optional=True)
