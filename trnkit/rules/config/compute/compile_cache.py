"""TRN248: the compile cache is in a place that all nodes share and can write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.storage import mounts_of
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_PATH = ("compute", "boot", "compile_cache")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    cache = cluster.compute.boot.compile_cache
    if cache is None:
        return
    if cache.startswith("s3://"):
        if not cluster.compute.node_role.managed_policy_arns:
            yield Violation(
                message=f"compute.boot.compile_cache is {cache}, and the node role is given no "
                "right to that bucket",
                hint="attach a policy with s3:GetObject, s3:PutObject and s3:ListBucket for it in "
                "compute.node_role.managed_policy_arns",
                path=_PATH,
                severity=Severity.INFO,
            )
        return
    above = [m for m in mounts_of(cluster) if f"{cache}/".startswith(f"{m.mount_path}/")]
    mount = max(above, key=lambda m: len(m.mount_path), default=None)
    if mount is None:
        yield Violation(
            message=f"compute.boot.compile_cache is {cache}, below nothing that the nodes mount",
            hint="name a folder below a Lustre or home file system, or an s3:// address",
            path=_PATH,
            evidence=_mounted(cluster),
        )
    elif mount.path[1] == "s3_mountpoints":
        yield Violation(
            message=f"compute.boot.compile_cache is {cache}, below the bucket mounted at "
            f"{mount.mount_path}; through Mountpoint no file can be changed or renamed",
            hint="name the bucket itself, as an s3:// address",
            path=_PATH,
        )


def _mounted(cluster: ClusterConfig) -> str:
    paths = [mount.mount_path for mount in mounts_of(cluster) if mount.path[1] != "s3_mountpoints"]
    return f"shared folders: {', '.join(paths[:3])}" if paths else "the nodes share no file system"


_SYSTEM = "{name: data, storage_capacity_gib: 4800, mount_path: /fsx}"

RULE = ConfigRule(
    id="TRN248",
    title="the compile cache is shared by all nodes",
    severity=Severity.ERROR,
    why="A cache on each node's own disk is compiled anew by each, for hours on a large model, and "
    "is gone with the node; the boot refuses to make the folder where nothing is mounted.",
    source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/about-neuron/arch/"
    "neuron-features/neuron-caching.html",
    good="compute: {boot: {compile_cache: /fsx/neuron-cache}, node_groups: [{name: train, "
    "instance_type: trn2.48xlarge, count: 1}]}\n"
    f"storage: {{lustre_file_systems: [{_SYSTEM}]}}\n",
    bad="compute: {boot: {compile_cache: /var/neuron-cache}, node_groups: [{name: train, "
    "instance_type: trn2.48xlarge, count: 1}]}\n",
    check=_check,
)
