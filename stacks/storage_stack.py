"""What a cluster stores: file systems, the checkpoint bucket, home folders. Stateful."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import CfnOutput, Environment, Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_kms as kms
from constructs import Construct

from constructs_lib.compute import HomeMount, LustreMount
from constructs_lib.storage import (
    DataRepositoryAssociation,
    ExistingLustreFileSystem,
    LustreFileSystem,
    LustreOptions,
)
from stacks.network_stack import NetworkStack
from trnkit.config import (
    CheckpointBucketConfig,
    ClusterConfig,
    ExistingLustreConfig,
    HomeFileSystemConfig,
    LustreConfig,
)

if TYPE_CHECKING:
    # Loaded when needed: see constructs_lib.storage.
    from constructs_lib.storage import CheckpointBucket


class StorageStack(Stack):
    """Lustre and home file systems, the checkpoint bucket, and the links between them.

    Protected against deletion; the data is kept.
    """

    mounts: tuple[LustreMount, ...]
    """Every Lustre file system with its mount path, for the nodes."""

    home: HomeMount | None
    """The home file system with its mount path, for the nodes."""

    buckets: tuple[CheckpointBucket, ...]
    """Buckets that the nodes may read and write."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        cluster: ClusterConfig,
        network: NetworkStack,
        env: Environment,
    ) -> None:
        """Create the stack.

        Args:
            scope: The cluster's stage.
            construct_id: `Storage`.
            cluster: What to build.
            network: Where to build it.
            env: Account and region.
        """
        super().__init__(
            scope,
            construct_id,
            env=env,
            termination_protection=True,
            description=f"trnkit cluster {cluster.name}: file systems",
        )
        self._network, storage = network, cluster.storage
        self._opened: set[str] = set()
        self._last_link: dict[str, DataRepositoryAssociation] = {}
        systems = {config.name: self._lustre(config) for config in storage.lustre_file_systems}
        # A group that somebody else keeps for one file system is theirs for all behind it.
        self._theirs = {
            config.security_group_id
            for config in storage.existing_lustre_file_systems
            if not config.change_security_group
        }
        existing = [self._existing(c) for c in storage.existing_lustre_file_systems]
        self.mounts = (
            *(
                LustreMount(
                    dns_name=systems[config.name].dns_name,
                    mount_name=systems[config.name].mount_name,
                    mount_path=config.mount_path,
                )
                for config in storage.lustre_file_systems
            ),
            *existing,
        )
        self.home = self._home(storage.home_file_system) if storage.home_file_system else None
        bucket = storage.checkpoint_bucket
        self.buckets = (self._bucket(bucket, systems),) if bucket else ()

    def _lustre(self, config: LustreConfig) -> LustreFileSystem:
        files = LustreFileSystem(
            self,
            f"Lustre-{config.name}",
            vpc=self._network.vpc,
            subnet=self._network.storage_subnet,
            storage_capacity_gib=config.storage_capacity_gib,
            deployment_type=config.deployment_type,
            per_unit_storage_throughput=config.per_unit_storage_throughput,
            file_system_type_version=config.file_system_type_version,
            data_compression_type=config.data_compression_type,
            automatic_backup_retention_days=config.automatic_backup_retention_days,
            kms_key=self._key(f"LustreKey-{config.name}", config.kms_key_arn),
            options=_options(config),
        )
        files.allow_clients("Nodes", self._network.node_security_group)
        for link in config.data_repository_associations:
            name = link.file_system_path.strip("/").replace("/", "-") or "Root"
            association = DataRepositoryAssociation(
                self,
                f"Lustre-{config.name}-{name}",
                file_system_id=files.file_system_id,
                file_system_path=link.file_system_path,
                data_repository_path=link.data_repository_path,
                batch_import_meta_data_on_create=link.batch_import_meta_data_on_create,
                imported_file_chunk_size_mib=link.imported_file_chunk_size_mib,
                auto_import_events=link.auto_import_events,
                auto_export_events=link.auto_export_events,
            )
            self._after_the_last(config.name, association)
        for value in (files.dns_name, files.mount_name):
            self.export_value(value)
        CfnOutput(self, f"FileSystemId-{config.name}", value=files.file_system_id)
        CfnOutput(
            self,
            f"MountCommand-{config.name}",
            value="sudo mount -t lustre -o relatime,flock "
            f"{files.dns_name}@tcp:/{files.mount_name} {config.mount_path}",
        )
        return files

    def _after_the_last(self, name: str, association: DataRepositoryAssociation) -> None:
        """FSx makes one association of a file system at a time, so each waits for the last."""
        previous = self._last_link.get(name)
        if previous is not None:
            association.node.add_dependency(previous)
        self._last_link[name] = association

    def _existing(self, config: ExistingLustreConfig) -> LustreMount:
        files = ExistingLustreFileSystem(
            self,
            f"ExistingLustre-{config.name}",
            file_system_id=config.file_system_id,
            mount_name=config.mount_name,
        )
        # EC2 refuses the same rule twice, so a group that several share is opened once.
        if config.security_group_id not in self._opened:
            self._opened.add(config.security_group_id)
            servers = ec2.SecurityGroup.from_security_group_id(
                self, f"ExistingLustreGroup-{config.name}", config.security_group_id
            )
            files.allow_clients(
                "Nodes",
                self._network.node_security_group,
                servers=servers,
                change_servers=config.security_group_id not in self._theirs,
            )
        return LustreMount(
            dns_name=files.dns_name, mount_name=files.mount_name, mount_path=config.mount_path
        )

    def _home(self, config: HomeFileSystemConfig) -> HomeMount:
        from constructs_lib.storage import HomeFileSystem

        homes = HomeFileSystem(
            self,
            "HomeFileSystem",
            vpc=self._network.vpc,
            subnet=self._network.storage_subnet,
            kms_key=self._key("HomeFileSystemKey", config.kms_key_arn),
            encryption_in_transit=config.encryption_in_transit,
            backup=config.backup,
            transition_to_ia_days=config.transition_to_ia_days,
            ip_address_type=config.ip_address_type,
        )
        homes.allow_clients("Nodes", self._network.node_security_group)
        self.export_value(homes.file_system_id)
        CfnOutput(self, "HomeFileSystemId", value=homes.file_system_id)
        return HomeMount(
            file_system_id=homes.file_system_id,
            dns_name=homes.dns_name,
            mount_path=config.mount_path,
            encryption_in_transit=config.encryption_in_transit,
        )

    def _bucket(
        self, config: CheckpointBucketConfig, systems: dict[str, LustreFileSystem]
    ) -> CheckpointBucket:
        from constructs_lib.storage import CheckpointBucket, CheckpointLifecycle

        bucket = CheckpointBucket(
            self,
            "CheckpointBucket",
            kms_key=self._key("CheckpointBucketKey", config.kms_key_arn),
            abort_incomplete_multipart_upload_days=config.abort_incomplete_multipart_upload_days,
            noncurrent_version_expiration_days=config.noncurrent_version_expiration_days,
            lifecycle=[
                CheckpointLifecycle(
                    prefix=entry.prefix,
                    expiration_days=entry.expiration_days,
                    transition_days=entry.transition_days,
                    transition_storage_class=entry.transition_storage_class,
                )
                for entry in config.lifecycle
            ],
        )
        link = config.data_repository_association
        if link is not None:
            prefix = f"/{link.prefix.strip('/')}" if link.prefix else ""
            association = DataRepositoryAssociation(
                self,
                "CheckpointLink",
                file_system_id=systems[link.file_system].file_system_id,
                file_system_path=link.file_system_path,
                data_repository_path=f"s3://{bucket.bucket_name}{prefix}",
                auto_import_events=link.auto_import_events,
                auto_export_events=link.auto_export_events,
            )
            self._after_the_last(link.file_system, association)
        self.export_value(bucket.bucket_arn)
        CfnOutput(self, "CheckpointBucketName", value=bucket.bucket_name)
        return bucket

    def _key(self, construct_id: str, arn: str | None) -> kms.IKey | None:
        return kms.Key.from_key_arn(self, construct_id, arn) if arn else None


def _options(config: LustreConfig) -> LustreOptions:
    cache, metadata = config.data_read_cache, config.metadata_configuration
    log = config.log_configuration
    return LustreOptions(
        storage_type=config.storage_type,
        throughput_capacity_mbps=config.throughput_capacity_mbps,
        data_read_cache_sizing_mode=cache.sizing_mode if cache else None,
        data_read_cache_size_gib=cache.size_gib if cache else None,
        drive_cache_type=config.drive_cache_type,
        metadata_mode=metadata.mode if metadata else None,
        metadata_iops=metadata.iops if metadata else None,
        efa_enabled=config.efa_enabled,
        log_level=log.level if log else None,
        log_group_arn=log.log_group_arn if log else None,
        weekly_maintenance_start_time=config.weekly_maintenance_start_time,
        daily_automatic_backup_start_time=config.daily_automatic_backup_start_time,
        copy_tags_to_backups=config.copy_tags_to_backups,
    )
