"""The file systems of a cluster: stateful."""

from __future__ import annotations

from aws_cdk import CfnOutput, Environment, Stack
from constructs import Construct

from constructs_lib.compute import LustreMount
from constructs_lib.storage import DataRepositoryAssociation, LustreFileSystem
from stacks.network_stack import NetworkStack
from trnkit.config import ClusterConfig, LustreConfig


class StorageStack(Stack):
    """Lustre file systems and their links to S3. Protected against deletion; the data is kept."""

    mounts: tuple[LustreMount, ...]
    """Every file system with its mount path, for the nodes."""

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
        self._network = network
        self.mounts = tuple(
            self._file_system(config) for config in cluster.storage.lustre_file_systems
        )

    def _file_system(self, config: LustreConfig) -> LustreMount:
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
        )
        files.allow_clients("Nodes", self._network.node_security_group)
        self._associate(config, files)
        for value in (files.dns_name, files.mount_name):
            self.export_value(value)
        CfnOutput(self, f"FileSystemId-{config.name}", value=files.file_system_id)
        CfnOutput(
            self,
            f"MountCommand-{config.name}",
            value="sudo mount -t lustre -o relatime,flock "
            f"{files.dns_name}@tcp:/{files.mount_name} {config.mount_path}",
        )
        return LustreMount(
            dns_name=files.dns_name, mount_name=files.mount_name, mount_path=config.mount_path
        )

    def _associate(self, config: LustreConfig, files: LustreFileSystem) -> None:
        """FSx makes one association of a file system at a time, so each waits for the last."""
        previous: DataRepositoryAssociation | None = None
        for link in config.data_repository_associations:
            name = link.file_system_path.strip("/").replace("/", "-") or "Root"
            association = DataRepositoryAssociation(
                self,
                f"Lustre-{config.name}-{name}",
                file_system_id=files.file_system_id,
                file_system_path=link.file_system_path,
                data_repository_path=link.data_repository_path,
                batch_import_meta_data_on_create=link.batch_import_meta_data_on_create,
                auto_import_events=link.auto_import_events,
                auto_export_events=link.auto_export_events,
            )
            if previous is not None:
                association.node.add_dependency(previous)
            previous = association
