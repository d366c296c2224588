"""What a node must turn out to be once it is up: /etc/trnkit/expected.json for `trn-node-check`.

Derived from the cluster file and the catalogue alone, so it says what was meant, not what is there.
None means not judged: the catalogue does not know, or nobody asked for it.

Sources:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/InstanceStorage.html (instance store)
    https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html (huge pages)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import efa_huge_pages, find_instance_type
from trnkit.layout.nodes import interfaces_of, neuron_cores
from trnkit.layout.storage import is_efa_client

if TYPE_CHECKING:
    from trnkit.catalog import InstanceType
    from trnkit.config import ClusterConfig, NodeGroupConfig

EXPECTED_SCHEMA = 1
_MIB_A_GIB = 1024

_Section = dict[str, object]


def expected_node(cluster: ClusterConfig, group: NodeGroupConfig) -> _Section:
    """What the nodes of a group must be.

    Args:
        cluster: The cluster file.
        group: One of its node groups.

    Returns:
        The object, ready to become JSON; the keys are documented in docs/node-check.md.
    """
    known = find_instance_type(group.instance_type)
    boot, efa = cluster.compute.boot, _efa(group, known)
    driver = efa_huge_pages().pages if efa else None
    return {
        "schema": EXPECTED_SCHEMA,
        "cluster": cluster.name,
        "node_group": group.name,
        "instance_type": group.instance_type,
        "neuron": _neuron(group, known),
        "efa": efa,
        "instance_store": _instance_store(known, boot.instance_store_path),
        "mounts": _mounts(cluster, group),
        "huge_pages_2mib": driver if boot.huge_pages is None else boot.huge_pages,
        "vcpus": known.vcpus if known else None,
        "memory_gib": _memory_gib(known),
        "compile_cache": boot.compile_cache,
    }


def _neuron(group: NodeGroupConfig, known: InstanceType | None) -> _Section | None:
    """The chips; a logical size that the type does not support is another rule's to find."""
    if known is None:
        return None
    sizes = known.logical_neuroncore_sizes
    asked = group.logical_neuroncore_size
    cores = neuron_cores(known, asked if asked in sizes else None)
    if cores is None:
        return None
    return {
        "devices": cores.devices,
        "cores_per_device": known.neuron_cores_per_chip,
        "device_memory_gib": known.device_memory_gib_per_chip,
        "logical_neuroncore_size": cores.logical_size,
    }


def _efa(group: NodeGroupConfig, known: InstanceType | None) -> _Section | None:
    devices = sum(interface.is_efa for interface in interfaces_of(group) or ())
    if known is None or devices == 0:
        return None
    return {"devices": devices, "rdma": bool(known.rdma_read)}


def _instance_store(known: InstanceType | None, path: str | None) -> _Section | None:
    if known is None or path is None or not known.nvme_disks:
        return None
    size = known.nvme_disk_gb
    return {
        "path": path,
        "disks": known.nvme_disks,
        "total_gb": None if size is None else known.nvme_disks * size,
    }


def _memory_gib(known: InstanceType | None) -> int | None:
    return None if known is None or known.memory_mib is None else known.memory_mib // _MIB_A_GIB


def _mounts(cluster: ClusterConfig, group: NodeGroupConfig) -> list[_Section]:
    """Every shared file system, in the order of the file."""
    storage = cluster.storage
    over_efa = is_efa_client(group) is True
    mounts = [
        _lustre(config.mount_path, efa=config.efa_enabled and over_efa)
        for config in storage.lustre_file_systems
    ]
    # Whether one that is not ours has EFA is not known here, and boot does not set it up for them.
    mounts += [
        _lustre(config.mount_path, efa=False) for config in storage.existing_lustre_file_systems
    ]
    home = storage.home_file_system
    if home is not None:
        mounts.append(_mount("efs", home.mount_path, writable=True))
    mounts += [
        _mount("s3", bucket.mount_path, writable=not bucket.read_only)
        for bucket in storage.s3_mountpoints
    ]
    return mounts


def _lustre(path: str, *, efa: bool) -> _Section:
    return {**_mount("lustre", path, writable=True), "efa": efa}


def _mount(kind: str, path: str, *, writable: bool) -> _Section:
    return {"kind": kind, "path": path, "writable": writable}
