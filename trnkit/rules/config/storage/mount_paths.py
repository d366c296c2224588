"""TRN307: file systems have names and mount points of their own, away from the system's folders."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.mount_paths import belongs_to_the_system
from trnkit.layout.storage import instance_store_mount, mounts_of
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    found = list(mounts_of(cluster))
    local = instance_store_mount(cluster)
    found += [local] if local else []
    for entry in found:
        mount, place = entry.mount_path, (*entry.path, entry.key)
        if belongs_to_the_system(mount):
            yield Violation(
                message=f"{format_path(place)} is {mount}, a folder that the system uses itself",
                hint="mount it on a folder of its own, such as /fsx",
                path=place,
            )
    for one, other in combinations(found, 2):
        first, second = one.path, other.path
        if one.name is not None and one.name == other.name:
            place = (*second, "name")
            yield Violation(
                message=f"{format_path(place)} is {other.name}, like that of {format_path(first)}",
                hint="give each file system a name of its own",
                path=place,
            )
        here, there = f"{other.mount_path}/", f"{one.mount_path}/"
        if here.startswith(there) or there.startswith(here):
            place = (*second, other.key)
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
