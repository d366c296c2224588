"""The `LustreConfiguration` of a file system: what is written, and what is rather left out."""

from __future__ import annotations

from aws_cdk import aws_fsx as fsx

from constructs_lib.storage.lustre_options import LustreOptions
from trnkit.layout.lustre_judgement import DEFAULT_READ_CACHE


def lustre_configuration(
    options: LustreOptions,
    *,
    deployment_type: str,
    per_unit_storage_throughput: int | None,
    data_compression_type: str,
    automatic_backup_retention_days: int | None,
    log: fsx.CfnFileSystem.LogConfigurationProperty | None,
) -> fsx.CfnFileSystem.LustreConfigurationProperty:
    """The configuration, once its values are checked.

    Args:
        options: What only some file systems have.
        deployment_type: As in the API.
        per_unit_storage_throughput: MB/s per TiB; None where there is none.
        data_compression_type: As in the API.
        automatic_backup_retention_days: None leaves the key out, as links to S3 demand.
        log: Where FSx logs; None logs nothing.
    """
    return fsx.CfnFileSystem.LustreConfigurationProperty(
        deployment_type=deployment_type,
        per_unit_storage_throughput=per_unit_storage_throughput,
        throughput_capacity=options.throughput_capacity_mbps,
        data_read_cache_configuration=_read_cache(options),
        drive_cache_type=_drive_cache(options),
        metadata_configuration=_metadata(options),
        efa_enabled=True if options.efa_enabled else None,
        data_compression_type=data_compression_type,
        automatic_backup_retention_days=automatic_backup_retention_days,
        daily_automatic_backup_start_time=options.daily_automatic_backup_start_time,
        copy_tags_to_backups=_copied_tags(options, automatic_backup_retention_days),
        weekly_maintenance_start_time=options.weekly_maintenance_start_time,
        log_configuration=log,
    )


def _read_cache(
    options: LustreOptions,
) -> fsx.CfnFileSystem.DataReadCacheConfigurationProperty | None:
    if options.storage_type != "INTELLIGENT_TIERING":
        return None
    return fsx.CfnFileSystem.DataReadCacheConfigurationProperty(
        sizing_mode=options.data_read_cache_sizing_mode or DEFAULT_READ_CACHE,
        size_gib=options.data_read_cache_size_gib,
    )


def _copied_tags(options: LustreOptions, backup_days: int | None) -> bool | None:
    if options.copy_tags_to_backups is None:
        return True if backup_days else None
    # False is what FSx takes when the key is absent, and is what it was then.
    return True if options.copy_tags_to_backups else None


def _drive_cache(options: LustreOptions) -> str | None:
    """FSx demands the setting for disks and refuses it elsewhere."""
    return options.drive_cache_type or ("NONE" if options.storage_type == "HDD" else None)


def _metadata(options: LustreOptions) -> fsx.CfnFileSystem.MetadataConfigurationProperty | None:
    if options.metadata_mode is None:
        return None
    return fsx.CfnFileSystem.MetadataConfigurationProperty(
        mode=options.metadata_mode, iops=options.metadata_iops
    )
