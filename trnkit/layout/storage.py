"""What follows from `storage`: what is mounted where, linked to what, and how many addresses.

Sources:
    https://docs.aws.amazon.com/fsx/latest/LustreGuide/mounting-ec2-instance.html (DNS name)
    https://docs.aws.amazon.com/fsx/latest/LustreGuide/limits.html (associations per file system)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type, lustre_efa_client, lustre_tier
from trnkit.layout.nodes import interfaces_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import LustreTier
    from trnkit.config import ClusterConfig, LustreConfig, NodeGroupConfig

MOST_ASSOCIATIONS = 8

_Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A folder of a file system and what it is linked to.

    Attributes:
        path: Where the cluster file says so.
        file_system_path: The folder.
        data_repository_path: The bucket or prefix; None for the cluster's own bucket, which gets
            its name at deployment.
    """

    path: _Path
    file_system_path: str
    data_repository_path: str | None


@dataclass(frozen=True, slots=True)
class Mount:
    """Something that every node mounts.

    Attributes:
        path: Where the cluster file says so.
        name: Its name in the file; None for a kind that has none.
        mount_path: Where it is mounted.
        key: The key below `path` that says so.
    """

    path: _Path
    name: str | None
    mount_path: str
    key: str = "mount_path"


def has_storage(cluster: ClusterConfig) -> bool:
    """Whether the cluster has anything to keep data in, so that it needs a Storage stack."""
    storage = cluster.storage
    several = (*storage.lustre_file_systems, *storage.existing_lustre_file_systems)
    return bool(several or storage.checkpoint_bucket or storage.home_file_system)


def tier_of(config: LustreConfig) -> LustreTier | None:
    """What the catalogue says of a file system's deployment and storage type together."""
    return lustre_tier(config.deployment_type, config.storage_type)


def throughput_of(config: LustreConfig) -> int | None:
    """The throughput per unit of storage: the file's own, else the lowest of the tier."""
    tier = tier_of(config)
    if config.per_unit_storage_throughput is not None or tier is None:
        return config.per_unit_storage_throughput
    return min(tier.allowed_throughputs) if tier.allowed_throughputs else None


def mounts_of(cluster: ClusterConfig) -> Iterator[Mount]:
    """Everything that the nodes mount, in the order of the file."""
    storage = cluster.storage
    for index, config in enumerate(storage.lustre_file_systems):
        yield Mount(("storage", "lustre_file_systems", index), config.name, config.mount_path)
    for index, existing in enumerate(storage.existing_lustre_file_systems):
        path = ("storage", "existing_lustre_file_systems", index)
        yield Mount(path, existing.name, existing.mount_path)
    if storage.home_file_system:
        yield Mount(("storage", "home_file_system"), None, storage.home_file_system.mount_path)
    for index, bucket in enumerate(storage.s3_mountpoints):
        yield Mount(("storage", "s3_mountpoints", index), None, bucket.mount_path)


def instance_store_mount(cluster: ClusterConfig) -> Mount | None:
    """Where nodes mount their instance store; None when no type of the file has disks."""
    path = cluster.compute.boot.instance_store_path
    types = (find_instance_type(group.instance_type) for group in cluster.compute.node_groups)
    if path is None or not any(known and known.nvme_disks for known in types):
        return None
    return Mount(("compute", "boot"), None, path, "instance_store_path")


def links_of(cluster: ClusterConfig, index: int) -> tuple[Link, ...]:
    """The S3 links of a Lustre file system, that to the cluster's own bucket last."""
    config = cluster.storage.lustre_file_systems[index]
    place = ("storage", "lustre_file_systems", index, "data_repository_associations")
    links = [
        Link((*place, number), link.file_system_path, link.data_repository_path)
        for number, link in enumerate(config.data_repository_associations)
    ]
    bucket = cluster.storage.checkpoint_bucket
    own = bucket.data_repository_association if bucket else None
    if own is not None and own.file_system == config.name:
        path = ("storage", "checkpoint_bucket", "data_repository_association")
        links.append(Link(path, own.file_system_path, None))
    return tuple(links)


def is_efa_client(group: NodeGroupConfig) -> bool | None:
    """Whether a group's nodes can reach a file system over EFA; None when not known."""
    interfaces = interfaces_of(group)
    if interfaces is None:
        return None
    has_device = any(interface.is_efa for interface in interfaces)
    return lustre_efa_client(group.instance_type) if has_device else False


def mounts_over_efa(cluster: ClusterConfig, group: NodeGroupConfig) -> bool:
    """Whether a group's nodes have a file system to reach over EFA, and certainly can."""
    enabled = any(config.efa_enabled for config in cluster.storage.lustre_file_systems)
    return enabled and is_efa_client(group) is True


def lustre_dns_name(file_system_id: str, region: str) -> str:
    """The DNS name of a Lustre file system, which follows from its id."""
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return f"{file_system_id}.fsx.{region}.{suffix}"


def addresses_of(config: LustreConfig) -> int | None:
    """Addresses that a file system takes in its subnet, one a server; None when not known."""
    tier = tier_of(config)
    if tier is None:
        return None
    storage = _storage_servers(config, tier)
    return None if storage is None else storage + _metadata_servers(config, tier)


def _storage_servers(config: LustreConfig, tier: LustreTier) -> int | None:
    if tier.throughput_capacity is not None:
        whole, each = config.throughput_capacity_mbps, tier.throughput_capacity.mbps_per_server
    else:
        throughput = throughput_of(config)
        whole = config.storage_capacity_gib
        each = tier.storage_gib_behind_one_server(throughput, efa_enabled=config.efa_enabled)
    return None if whole is None or each is None else -(-whole // each)


def _metadata_servers(config: LustreConfig, tier: LustreTier) -> int:
    metadata = config.metadata_configuration
    if metadata is None or tier.metadata is None:
        return 1
    iops = metadata.iops
    if iops is None and config.storage_capacity_gib is not None:
        iops = tier.metadata.automatic(config.storage_capacity_gib)
    return max(1, -(-(iops or 0) // tier.metadata.iops_per_server))
