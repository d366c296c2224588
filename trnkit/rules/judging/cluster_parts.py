"""The parts of a cluster file that many rules go through, each with its YAML path."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig, LustreConfig, NodeGroupConfig, S3MountpointConfig
    from trnkit.config.yaml_reader import Path


def node_groups(cluster: ClusterConfig) -> Iterator[tuple[Path, NodeGroupConfig]]:
    """Every node group and its path."""
    for index, group in enumerate(cluster.compute.node_groups):
        yield ("compute", "node_groups", index), group


def file_systems(cluster: ClusterConfig) -> Iterator[tuple[Path, LustreConfig]]:
    """Every Lustre file system and its path."""
    for index, file_system in enumerate(cluster.storage.lustre_file_systems):
        yield ("storage", "lustre_file_systems", index), file_system


def s3_mountpoints(cluster: ClusterConfig) -> Iterator[tuple[Path, S3MountpointConfig]]:
    """Every bucket that the nodes mount and its path."""
    for index, mount in enumerate(cluster.storage.s3_mountpoints):
        yield ("storage", "s3_mountpoints", index), mount
