"""Which security groups a cluster file names, and which of them its nodes are in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig, NodeGroupConfig
    from trnkit.config.yaml_reader import Path

MAIN_PATH = ("network", "existing", "security_group_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedGroup:
    """A security group that the file names.

    Attributes:
        group_id: `sg-...`.
        path: Where.
        is_of_nodes: Whether nodes are in it; else it is a file system's.
        is_changed: Whether the deployment adds rules to it.
    """

    group_id: str
    path: Path
    is_of_nodes: bool
    is_changed: bool


def imported_groups(cluster: ClusterConfig) -> tuple[ImportedGroup, ...]:
    """All of them, each once, in the order of the file."""
    found: dict[tuple[str, bool], ImportedGroup] = {}
    for group in _all(cluster):
        found.setdefault((group.group_id, group.is_of_nodes), group)
    return tuple(found.values())


def main_group(cluster: ClusterConfig) -> str | None:
    """The group of all nodes; None where the cluster makes it."""
    existing = cluster.network.existing
    return existing.security_group_id if existing else None


def groups_of(cluster: ClusterConfig, group: NodeGroupConfig) -> tuple[str, ...]:
    """The groups of a node group's interfaces that the file names."""
    main = main_group(cluster)
    return tuple(dict.fromkeys([*([main] if main else []), *group.additional_security_group_ids]))


def groups_kept_by_others(cluster: ClusterConfig) -> frozenset[str]:
    """Groups of file systems that the deployment leaves alone, for every file system behind one."""
    return frozenset(
        config.security_group_id
        for config in cluster.storage.existing_lustre_file_systems
        if not config.change_security_group
    )


def _all(cluster: ClusterConfig) -> Iterator[ImportedGroup]:
    main = main_group(cluster)
    if main:
        yield ImportedGroup(group_id=main, path=MAIN_PATH, is_of_nodes=True, is_changed=True)
    for index, group in enumerate(cluster.compute.node_groups):
        for place, group_id in enumerate(group.additional_security_group_ids):
            path = ("compute", "node_groups", index, "additional_security_group_ids", place)
            yield ImportedGroup(group_id=group_id, path=path, is_of_nodes=True, is_changed=False)
    theirs = groups_kept_by_others(cluster)
    for index, config in enumerate(cluster.storage.existing_lustre_file_systems):
        path = ("storage", "existing_lustre_file_systems", index, "security_group_id")
        group_id = config.security_group_id
        yield ImportedGroup(
            group_id=group_id, path=path, is_of_nodes=False, is_changed=group_id not in theirs
        )
