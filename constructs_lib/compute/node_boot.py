"""What a node does when it first boots: the steps of `assets/node` with their settings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

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
)
from trnkit.layout.mount_paths import belongs_to_the_system
from trnkit.layout.s3_mountpoints import judge_bucket_name, s3_uri

_TOKEN = re.compile(r"\$\{Token\[[^\]]*\]\}")
# Each mount is a line of three words in a single-quoted shell string: nothing may end the line, the
# word or the string. Fits CDK's tokens, `${Token[...]}`.
_WORD = re.compile(r"[^\s'\"\\\x00-\x1f\x7f]+")
_ASSETS = Path(__file__).parent / "assets" / "node"
_STEPS = ("steps/environment.sh", "steps/mounts.sh", "steps/lustre.sh", "steps/home.sh")


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
    """Settings of the first boot.

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

    Raises:
        ConstructError: A value of another kind.
    """

    lustre_mounts: tuple[LustreMount, ...] = ()
    logical_neuroncore_size: int | None = None
    efa: bool = True
    lustre_over_efa: bool = False
    home: HomeMount | None = None
    s3_mounts: tuple[S3Mount, ...] = ()

    def __post_init__(self) -> None:
        entries("lustre_mounts", self.lustre_mounts, LustreMount)
        entries("s3_mounts", self.s3_mounts, S3Mount)
        size = self.logical_neuroncore_size
        whole_number("logical_neuroncore_size", size, least=1, most=8, optional=True)
        flag("efa", self.efa)
        flag("lustre_over_efa", self.lustre_over_efa)
        instance("home", self.home, HomeMount, optional=True)

    def render(self) -> str:
        """The whole user data.

        Raises:
            ConstructError: It may reach EC2's 16,384 bytes once names are filled in.
        """
        settings = self.settings()
        texts = ((_ASSETS / part).read_text(encoding="utf-8") for part in self._parts())
        script = "\n".join(
            ["#!/usr/bin/env bash", "set -u -o pipefail", settings, *texts, "main\n"]
        )
        bytes_at_most = largest_size(script)
        if bytes_at_most >= MAXIMUM_USER_DATA_BYTES:
            raise ConstructError(
                f"user data may become {bytes_at_most} bytes, which must stay below EC2's "
                f"{MAXIMUM_USER_DATA_BYTES}; mount fewer file systems, or on shorter paths"
            )
        return script

    def _parts(self) -> tuple[str, ...]:
        s3 = ("steps/s3.sh",) if self.s3_mounts else ()
        return ("lib.sh", *_STEPS, *s3, "main.sh")

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
        )


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
