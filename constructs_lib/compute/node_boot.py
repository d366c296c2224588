"""What a node does when it first boots: the steps of `assets/node` with their settings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from aws_cdk import aws_ec2 as ec2

from constructs_lib.arguments import (
    as_text,
    entries,
    flag,
    instance,
    is_text,
    is_unresolved,
    one_of,
    text,
    whole_number,
)
from constructs_lib.compute.node_bundle import NodeBundle
from constructs_lib.compute.node_stages import INLINE_STEPS, cloud_config, first_stage, inline_stage
from trnkit.config.storage_values import MountedPrefix
from trnkit.config.values import MountPath
from trnkit.errors import ConstructError
from trnkit.layout.boot_settings import (
    LONGEST_NAME_BYTES,
    MAXIMUM_USER_DATA_BYTES,
    HomeLine,
    LustreLine,
    S3Line,
    boot_settings,
    mount_mode,
    needed_parts,
)
from trnkit.layout.mount_paths import belongs_to_the_system
from trnkit.layout.node_settings import NodeSettings
from trnkit.layout.s3_mountpoints import judge_bucket_name, s3_uri

_TOKEN = re.compile(r"\$\{Token\[[^\]]*\]\}")
# Each mount is a line of three words in a single-quoted shell string: nothing may end the line, the
# word or the string. Fits CDK's tokens, `${Token[...]}`.
_WORD = re.compile(r"[^\s'\"\\\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreMount:
    """A Lustre file system to mount.

    Attributes:
        dns_name: Its `DNSName`.
        mount_name: Its `LustreMountName`.
        mount_path: Where to mount it, e.g. `/fsx`.

    Raises:
        ConstructError: A name or the path holds characters that a boot script cannot carry.
    """

    dns_name: str
    mount_name: str
    mount_path: str

    def __post_init__(self) -> None:
        _check_words(dns_name=self.dns_name, mount_name=self.mount_name)
        _check_path(self.mount_path)


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeMount:
    """An EFS file system to mount, for home folders.

    Attributes:
        file_system_id: Its id.
        dns_name: Its DNS name, for mounting without the EFS mount helper.
        mount_path: Where to mount it, e.g. `/home/shared`.
        encryption_in_transit: `preferred` mounts with TLS where the node has the EFS mount helper
            and with plain NFS where it has not; `required` never without TLS.

    Raises:
        ConstructError: A name or the path holds characters that a boot script cannot carry.
    """

    file_system_id: str
    dns_name: str
    mount_path: str
    encryption_in_transit: Literal["preferred", "required"] = "preferred"

    def __post_init__(self) -> None:
        _check_words(file_system_id=self.file_system_id, dns_name=self.dns_name)
        _check_path(self.mount_path)
        one_of("encryption_in_transit", self.encryption_in_transit, ("preferred", "required"))


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Mount:
    """An S3 bucket to mount with Mountpoint for Amazon S3; `S3Mountpoint` has one, and its grants.

    Attributes:
        bucket_name: Its name.
        mount_path: Where to mount it, e.g. `/data/corpus`.
        region: Its region.
        prefix: The part of it to mount, e.g. `tokenized/v2/`; None mounts all of it.
        read_only: Whether nodes only read. Else every user of a node can add new files; what is
            there can be neither changed nor deleted through the mount.

    Raises:
        ConstructError: A name that no bucket has, or a value that a boot script cannot carry.
    """

    bucket_name: str
    mount_path: str
    region: str
    prefix: str | None = None
    read_only: bool = True

    def __post_init__(self) -> None:
        _check_words(bucket_name=self.bucket_name, region=self.region)
        wrong = None if is_unresolved(self.bucket_name) else judge_bucket_name(self.bucket_name)
        if wrong is not None:
            raise ConstructError(f"bucket_name {wrong.text}; {wrong.hint}")
        _check_path(self.mount_path)
        if is_unresolved(self.prefix):
            raise ConstructError(f"prefix must be plain text, got {self.prefix!r}")
        text("prefix", self.prefix, MountedPrefix, optional=True)
        flag("read_only", self.read_only)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeBoot:
    """Settings of the first boot, and of every later one.

    The user data is a MIME archive, as every service takes it that adds parts of its own: a
    `text/cloud-config` part writes the settings, a `text/x-shellscript` part fetches and runs the
    boot scripts, or brings them along.

    Sources:
        https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html
        https://cloudinit.readthedocs.io/en/latest/explanation/format.html

    Attributes:
        lustre_mounts: File systems to mount, with the client installed for the running kernel.
        logical_neuroncore_size: Exported as NEURON_LOGICAL_NC_CONFIG and
            NEURON_RT_VIRTUAL_CORE_SIZE; None exports neither.
        efa: Whether the nodes have EFA devices; exports FI_PROVIDER and FI_EFA_USE_DEVICE_RDMA.
        lustre_over_efa: Whether the nodes set Lustre up to use EFA. Where the image's Lustre client
            cannot, that step fails and the file systems are mounted over TCP.
        home: Home folders to mount; None mounts none.
        s3_mounts: S3 buckets to mount, with Mountpoint installed where the image lacks it. The
            nodes' role must admit it: see `S3Mountpoint`.
        bundle: Where nodes fetch the scripts. None brings them along, without node check and
            monitoring.
        node: What the node is and how it behaves.
        expected: What `trn-node-check` compares the node with. None checks nothing.

    Raises:
        ConstructError: A value of another kind.
    """

    lustre_mounts: tuple[LustreMount, ...] = ()
    logical_neuroncore_size: int | None = None
    efa: bool = True
    lustre_over_efa: bool = False
    home: HomeMount | None = None
    s3_mounts: tuple[S3Mount, ...] = ()
    bundle: NodeBundle | None = None
    node: NodeSettings = field(default_factory=NodeSettings)
    expected: Mapping[str, object] | None = None

    def __post_init__(self) -> None:
        entries("lustre_mounts", self.lustre_mounts, LustreMount)
        entries("s3_mounts", self.s3_mounts, S3Mount)
        size = self.logical_neuroncore_size
        whole_number("logical_neuroncore_size", size, least=1, most=8, optional=True)
        flag("efa", self.efa)
        flag("lustre_over_efa", self.lustre_over_efa)
        instance("home", self.home, HomeMount, optional=True)
        instance("bundle", self.bundle, NodeBundle, optional=True)
        instance("node", self.node, NodeSettings)

    def render(self) -> str:
        """The whole user data.

        Raises:
            ConstructError: It may reach EC2's 16,384 bytes once names are filled in.
        """
        archive = ec2.MultipartUserData()
        for kind, content in (("cloud-config", self._cloud_config()), *self._scripts()):
            part = ec2.MultipartBody.from_raw_body(
                content_type=f'text/{kind}; charset="utf-8"', body=content
            )
            archive.add_part(part)
        text = archive.render()
        bytes_at_most = largest_size(text)
        if bytes_at_most >= MAXIMUM_USER_DATA_BYTES:
            raise ConstructError(
                f"user data may become {bytes_at_most} bytes, which must stay below EC2's "
                f"{MAXIMUM_USER_DATA_BYTES}; mount fewer file systems, or on shorter paths"
            )
        return text

    def settings(self) -> str:
        """Shell assignments, as `/etc/trnkit/settings.sh` holds them."""
        home, size = self.home, self.logical_neuroncore_size
        return boot_settings(
            [LustreLine(m.dns_name, m.mount_name, m.mount_path) for m in self.lustre_mounts],
            logical_neuroncore_size=as_text(size) if size is not None else None,
            efa=self.efa,
            lustre_over_efa=self.lustre_over_efa,
            home=HomeLine(
                home.file_system_id, home.dns_name, home.mount_path, home.encryption_in_transit
            )
            if home
            else None,
            s3=[
                S3Line(
                    s3_uri(mount.bucket_name, mount.prefix),
                    mount.mount_path,
                    mount_mode(read_only=mount.read_only),
                    mount.region,
                )
                for mount in self.s3_mounts
            ],
            node=self.node.lines(whole_bundle=self.bundle is not None),
        )

    def _cloud_config(self) -> str:
        files = {"/etc/trnkit/settings.sh": self.settings()}
        if self.bundle is not None and self.expected is not None:
            files["/etc/trnkit/expected.json"] = json.dumps(self.expected, separators=(",", ":"))
        return cloud_config(files)

    def _scripts(self) -> Iterator[tuple[str, str]]:
        if self.bundle is None:
            yield "x-shellscript", inline_stage(self._steps())
        else:
            yield "x-shellscript", first_stage(self.bundle)

    def _steps(self) -> tuple[str, ...]:
        needed = needed_parts(
            lustre=bool(self.lustre_mounts),
            home=self.home is not None,
            s3=bool(self.s3_mounts),
            instance_store=self.node.instance_store_path is not None,
            compile_cache=self.node.compile_cache is not None,
        )
        return tuple(name for name in INLINE_STEPS if needed.get(name, True))


def _check_words(**words: str) -> None:
    for name, value in words.items():
        if not is_text(value) or _WORD.fullmatch(value) is None:
            raise ConstructError(f"{name} must be one word without quotes, got {value!r}")


def _check_path(path: str) -> None:
    """A path is decided, never found out at deployment, so a token is none either."""
    if not is_text(path) or _TOKEN.search(path):
        raise ConstructError(f"mount_path must be a path like /fsx, got {path!r}")
    text("mount_path", path, MountPath)
    if belongs_to_the_system(path):
        raise ConstructError(
            f"mount_path must be a folder of its own such as /fsx, got {path!r}, which the system "
            "uses itself"
        )


def largest_size(script: str) -> int:
    """Bytes of a text once its tokens are filled in, each counted as the longest name."""
    tokens = len(_TOKEN.findall(script))
    return len(_TOKEN.sub("", script).encode()) + tokens * LONGEST_NAME_BYTES
