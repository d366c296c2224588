"""TRN307: file systems have names and mount points of their own, away from the system's folders."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_parts import file_systems
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_WHOLLY_THE_SYSTEM = (
    *("/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/proc", "/run", "/sbin", "/sys", "/usr", "/opt/amazon", "/opt/aws", "/snap"),
)
"""Neither these nor anything below; /opt/amazon holds EFA, /opt/aws the Neuron tools."""
_IN_USE = (
    *("/home", "/home/ec2-user", "/home/ubuntu", "/media", "/mnt", "/opt", "/root", "/srv"),
    *("/var", "/var/lib", "/var/log", "/var/run"),
    *("/tmp", "/var/tmp"),  # noqa: S108 - names to refuse; nothing is written there
)
"""Not these themselves: what a system keeps there would be hidden."""


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    found = list(file_systems(cluster))
    for path, file_system in found:
        mount, place = file_system.mount_path, (*path, "mount_path")
        below = any(f"{mount}/".startswith(f"{folder}/") for folder in _WHOLLY_THE_SYSTEM)
        if below or mount in _IN_USE:
            yield Violation(
                message=f"{format_path(place)} is {mount}, a folder that the system uses itself",
                hint="mount it on a folder of its own, such as /fsx",
                path=place,
            )
    for (first, one), (second, other) in combinations(found, 2):
        if one.name == other.name:
            place = (*second, "name")
            yield Violation(
                message=f"{format_path(place)} is {other.name}, like that of {format_path(first)}",
                hint="give each file system a name of its own",
                path=place,
            )
        here, there = f"{other.mount_path}/", f"{one.mount_path}/"
        if here.startswith(there) or there.startswith(here):
            place = (*second, "mount_path")
            how = "like" if here == there else "nested with"
            yield Violation(
                message=f"{format_path(place)} is {other.mount_path}, {how} {one.mount_path} of "
                f"{format_path(first)}",
                hint="mount each file system on a separate folder",
                path=place,
            )


RULE = ConfigRule(
    id="TRN307",
    title="file systems have names and mount points of their own",
    severity=Severity.ERROR,
    why="A mount hides what was in the folder: over a system folder the node does not boot or "
    "loses the Neuron tools, and one file system hides another.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/mount-fs-auto-mount-onreboot.html",
    good="storage: {lustre_file_systems: ["
    "{name: data, storage_capacity_gib: 4800, mount_path: /fsx/data}, "
    "{name: scratch, storage_capacity_gib: 4800, mount_path: /fsx/scratch}]}\n",
    bad="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "mount_path: /home}]}\n",
    check=_check,
)
