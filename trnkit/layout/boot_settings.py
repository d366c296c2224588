"""What stands above the boot script in a node's user data, and how large it may become.

Sources:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html
"""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, NamedTuple

from trnkit.catalog import efa_huge_pages, mountpoint_download
from trnkit.layout.node_expectations import expected_node
from trnkit.layout.node_settings import node_settings
from trnkit.layout.nodes import uses_efa
from trnkit.layout.s3_mountpoints import s3_uri
from trnkit.layout.storage import lustre_dns_name, mounts_over_efa

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trnkit.config import ClusterConfig, NodeGroupConfig

MAXIMUM_USER_DATA_BYTES = 16_384
"""EC2's limit, before Base64."""

FETCHING_BYTES = 4_250
"""What fetching the scripts takes of it, with the frame of the archive; a test sees to that."""

CARRYING_BYTES = {
    "always": 9_760,
    "instance_store": 2_040,
    "mounts": 780,
    "lustre": 2_390,
    "home": 500,
    "s3": 800,
    "compile_cache": 600,
}
"""What carrying the scripts takes of it, by what a node needs; a test sees to that."""

LONGEST_NAME_BYTES = 80
"""More than any name has that is known at deployment only; DNS names have about 60."""

_INDENTATION = 6  # Of each line in the cloud-config.
_NAME = "x" * LONGEST_NAME_BYTES


class LustreLine(NamedTuple):
    """What a node has to know of a Lustre file system."""

    dns_name: str
    mount_name: str
    mount_path: str


class HomeLine(NamedTuple):
    """What a node has to know of home folders."""

    file_system_id: str
    dns_name: str
    mount_path: str
    encryption_in_transit: str


class S3Line(NamedTuple):
    """What a node has to know of an S3 bucket to mount."""

    s3_uri: str
    mount_path: str
    mode: str
    region: str


def mount_mode(*, read_only: bool) -> str:
    """How /etc/fstab says whether files can be made."""
    return "ro" if read_only else "rw"


def boot_settings(
    lustre: Iterable[LustreLine],
    *,
    logical_neuroncore_size: str | None,
    efa: bool,
    lustre_over_efa: bool,
    home: HomeLine | None,
    s3: Sequence[S3Line] = (),
    node: Sequence[str] = (),
) -> str:
    """Shell assignments, each value quoted so that it stays one word whatever it holds.

    Args:
        lustre: File systems to mount.
        logical_neuroncore_size: Physical NeuronCores per logical one.
        efa: Whether the node has EFA devices.
        lustre_over_efa: Whether it sets Lustre up to use them.
        home: Home folders to mount.
        s3: S3 buckets to mount.
        node: Further lines, of `NodeSettings`.
    """
    size = logical_neuroncore_size
    lines = [
        "TRNKIT_LUSTRE_MOUNTS=" + shlex.quote("\n".join(" ".join(line) for line in lustre)),
        f"TRNKIT_LNC={shlex.quote(size) if size else ''}",
        f"TRNKIT_EFA={int(efa)}",
    ]
    # Not written when off, so that other nodes keep their user data.
    if efa:
        lines.append(f"TRNKIT_EFA_HUGE_PAGES={efa_huge_pages().pages}")
    if lustre_over_efa:
        lines.append("TRNKIT_LUSTRE_EFA=1")
    if home is not None:
        lines.append("TRNKIT_HOME=" + shlex.quote(" ".join(home)))
    if s3:
        download = mountpoint_download()
        words = (download.url, download.signing_keys_url, *download.fingerprints)
        lines += [
            "TRNKIT_S3_MOUNTS=" + shlex.quote("\n".join(" ".join(line) for line in s3)),
            "TRNKIT_S3_PACKAGE=" + shlex.quote(" ".join(words)),
        ]
    return "\n".join([*lines, *node])


def largest_user_data(cluster: ClusterConfig, group: NodeGroupConfig) -> int:
    """Bytes that the user data of a group's nodes may take once all names are known."""
    if cluster.compute.boot.delivery == "inline":
        scripts = sum(CARRYING_BYTES[part] for part in _carried(cluster))
        return scripts + largest_settings(cluster, group)
    expected = json.dumps(expected_node(cluster, group), separators=(",", ":"))
    return FETCHING_BYTES + largest_settings(cluster, group) + len(expected.encode())


def needed_parts(
    *, lustre: bool, home: bool, s3: bool, instance_store: bool, compile_cache: bool
) -> dict[str, bool]:
    """Which of the boot scripts that some nodes need a node needs, by name.

    Args:
        lustre: Whether it mounts Lustre.
        home: Whether it mounts home folders.
        s3: Whether it mounts buckets.
        instance_store: Whether it mounts its instance store.
        compile_cache: Whether its compile cache is named.
    """
    return {
        "instance_store": instance_store,
        "mounts": lustre or home or s3 or instance_store or compile_cache,
        "lustre": lustre,
        "home": home,
        "s3": s3,
        "compile_cache": compile_cache,
    }


def _carried(cluster: ClusterConfig) -> Iterator[str]:
    storage, boot = cluster.storage, cluster.compute.boot
    needed = needed_parts(
        lustre=bool(storage.lustre_file_systems or storage.existing_lustre_file_systems),
        home=storage.home_file_system is not None,
        s3=bool(storage.s3_mountpoints),
        instance_store=boot.instance_store_path is not None,
        compile_cache=boot.compile_cache is not None,
    )
    yield "always"
    yield from (part for part, is_needed in needed.items() if is_needed)


def largest_settings(cluster: ClusterConfig, group: NodeGroupConfig) -> int:
    """Bytes that the settings of a group's nodes may take once all names are known."""
    storage = cluster.storage
    lines = [LustreLine(_NAME, _NAME, made.mount_path) for made in storage.lustre_file_systems]
    lines += [
        LustreLine(
            lustre_dns_name(config.file_system_id, cluster.region),
            config.mount_name,
            config.mount_path,
        )
        for config in storage.existing_lustre_file_systems
    ]
    home = storage.home_file_system
    # Id and domain, each by itself known at deployment only.
    home_name = f"{_NAME}.efs.{cluster.region}.{_NAME}"
    node = node_settings(cluster, group, log_group_name=_NAME)
    inline = cluster.compute.boot.delivery == "inline"
    text = boot_settings(
        lines,
        logical_neuroncore_size="8",
        efa=uses_efa(group),
        lustre_over_efa=mounts_over_efa(cluster, group),
        home=HomeLine(_NAME, home_name, home.mount_path, home.encryption_in_transit)
        if home
        else None,
        s3=s3_lines(cluster),
        node=node.lines(whole_bundle=not inline),
    )
    return len(text.encode()) + _INDENTATION * (text.count("\n") + 1)


def s3_lines(cluster: ClusterConfig) -> tuple[S3Line, ...]:
    """The S3 buckets that the nodes of a cluster mount."""
    return tuple(
        S3Line(
            s3_uri(config.bucket_name, config.prefix),
            config.mount_path,
            mount_mode(read_only=config.read_only),
            cluster.region,
        )
        for config in cluster.storage.s3_mountpoints
    )
