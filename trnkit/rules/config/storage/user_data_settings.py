"""TRN326: what the nodes are to mount fits into their user data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.boot_settings import MAXIMUM_USER_DATA_BYTES, largest_user_data
from trnkit.layout.storage import mounts_of
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_SHOWN = 3


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    size = max(largest_user_data(cluster, group) for _, group in node_groups(cluster))
    too_many = size - MAXIMUM_USER_DATA_BYTES + 1
    if too_many <= 0:
        return
    longest = sorted(mounts_of(cluster), key=lambda mount: -len(mount.mount_path))[:_SHOWN]
    places = [(*mount.path, mount.key) for mount in longest] or [("compute", "boot", "delivery")]
    shown = ", ".join(format_path(place) for place in places)
    yield Violation(
        message=f"the nodes' user data may take {size} bytes, {too_many} more than EC2 takes, with "
        f"the mounts of all file systems and buckets; the longest are {shown}",
        hint=_hint(cluster),
        path=places[0],
        evidence=f"user data must stay below {MAXIMUM_USER_DATA_BYTES} bytes",
    )


def _hint(cluster: ClusterConfig) -> str:
    if cluster.compute.boot.delivery == "inline":
        return "let compute.boot.delivery be s3-asset, or mount fewer file systems"
    return "shorten them, or mount fewer file systems"


_LONG = f"/{'a-long-name-' * 8}x" * 6
_SYSTEMS = ", ".join(
    f"{{name: data-{letter}, storage_capacity_gib: 4800, mount_path: "
    f"{f'&long {_LONG}' if letter == 'a' else '*long'}}}"
    for letter in "abcdefghij"
)

RULE = ConfigRule(
    id="TRN326",
    title="what the nodes mount fits into their user data",
    severity=Severity.ERROR,
    why="EC2 takes no more than 16 KB of user data, in which each file system is named with the "
    "folder that it is mounted on; the launch template could not be made.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html",
    good="storage: {lustre_file_systems: ["
    "{name: data, storage_capacity_gib: 4800, mount_path: /fsx/data}, "
    "{name: scratch, storage_capacity_gib: 4800, mount_path: /fsx/scratch}]}\n",
    bad=f"storage: {{lustre_file_systems: [{_SYSTEMS}]}}\n",
    check=_check,
)
