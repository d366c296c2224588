"""What a node does when it first boots: `assets/boot.sh` with its settings above it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from trnkit.errors import ConstructError

MAXIMUM_USER_DATA_BYTES = 16_384
"""EC2's limit, before Base64.

Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html
"""

_WORST_TOKEN_BYTES = 128
_TOKEN = re.compile(r"\$\{Token\[[^\]]*\]\}")
# Each mount is a line of three words in a single-quoted shell string: nothing may end the line, the
# word or the string. Fits CDK's tokens, `${Token[...]}`.
_WORD = re.compile(r"[^\s'\"\\\x00-\x1f\x7f]+")
_PATH = re.compile(r"(/[A-Za-z0-9][A-Za-z0-9._-]*)+")
_SCRIPT = Path(__file__).parent / "assets" / "boot.sh"


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
    """

    lustre_mounts: tuple[LustreMount, ...] = ()
    logical_neuroncore_size: int | None = None
    efa: bool = True
    lustre_over_efa: bool = False
    home: HomeMount | None = None

    def render(self) -> str:
        """The whole user data.

        Raises:
            ConstructError: It may reach EC2's 16,384 bytes once names are filled in.
        """
        mounts = "\n".join(
            f"{mount.dns_name} {mount.mount_name} {mount.mount_path}"
            for mount in self.lustre_mounts
        )
        settings = [
            "#!/usr/bin/env bash",
            f"TRNKIT_LUSTRE_MOUNTS='{mounts}'",
            f"TRNKIT_LNC={self.logical_neuroncore_size or ''}",
            f"TRNKIT_EFA={int(self.efa)}",
            *self._optional(),
        ]
        script = "\n".join([*settings, _SCRIPT.read_text(encoding="utf-8")])
        size = largest_size(script)
        if size >= MAXIMUM_USER_DATA_BYTES:
            raise ConstructError(
                f"user data may become {size} bytes, which must stay below EC2's "
                f"{MAXIMUM_USER_DATA_BYTES}; mount fewer file systems"
            )
        return script

    def _optional(self) -> list[str]:
        """Settings that are not written when off, so that other nodes keep their user data."""
        lines = ["TRNKIT_LUSTRE_EFA=1"] if self.lustre_over_efa else []
        if self.home is not None:
            home = self.home
            words = (home.file_system_id, home.dns_name, home.mount_path)
            lines.append(f"TRNKIT_HOME='{' '.join(words)} {home.encryption_in_transit}'")
        return lines


def _check_words(**words: str) -> None:
    for name, value in words.items():
        if _WORD.fullmatch(value) is None:
            raise ConstructError(f"{name} must be one word without quotes, got {value!r}")


def _check_path(path: str) -> None:
    if _PATH.fullmatch(path) is None:
        raise ConstructError(
            "mount_path must be an absolute path of letters, digits and . _ - like /fsx, got "
            f"{path!r}"
        )


def largest_size(text: str) -> int:
    """Bytes of a text once its tokens are filled in, each counted as 128 bytes.

    The longest value used, a file system's DNS name, has about 60.
    """
    tokens = len(_TOKEN.findall(text))
    return len(_TOKEN.sub("", text).encode()) + tokens * _WORST_TOKEN_BYTES
