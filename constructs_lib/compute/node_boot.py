"""What a node does when it first boots: the script in `assets/boot.sh` with its settings above it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from trnkit.errors import ConstructError

MAXIMUM_USER_DATA_BYTES = 16_384
"""EC2's limit, before Base64.

Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html
"""

_WORST_TOKEN_BYTES = 128
_TOKEN = re.compile(r"\$\{Token\[[^\]]*\]\}")
_SCRIPT = Path(__file__).parent / "assets" / "boot.sh"


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreMount:
    """A Lustre file system to mount.

    Attributes:
        dns_name: Its `DNSName`.
        mount_name: Its `LustreMountName`.
        mount_path: Where to mount it, e.g. `/fsx`.
    """

    dns_name: str
    mount_name: str
    mount_path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeBoot:
    """Settings of the first boot.

    Attributes:
        lustre_mounts: File systems to mount, with the client installed for the running kernel.
        logical_neuroncore_size: Exported as NEURON_LOGICAL_NC_CONFIG and
            NEURON_RT_VIRTUAL_CORE_SIZE; None exports neither.
        efa: Whether the nodes have EFA devices; exports FI_PROVIDER and FI_EFA_USE_DEVICE_RDMA.
    """

    lustre_mounts: tuple[LustreMount, ...] = ()
    logical_neuroncore_size: int | None = None
    efa: bool = True

    def render(self) -> str:
        """The whole user data.

        Raises:
            ConstructError: It may exceed EC2's 16,384 bytes once names are filled in.
        """
        mounts = "\n".join(
            f"{mount.dns_name} {mount.mount_name} {mount.mount_path}" for mount in self.lustre_mounts
        )
        settings = [
            "#!/usr/bin/env bash",
            f"TRNKIT_LUSTRE_MOUNTS='{mounts}'",
            f"TRNKIT_LNC={self.logical_neuroncore_size or ''}",
            f"TRNKIT_EFA={int(self.efa)}",
        ]
        script = "\n".join([*settings, _SCRIPT.read_text(encoding="utf-8")])
        size = largest_size(script)
        if size >= MAXIMUM_USER_DATA_BYTES:
            raise ConstructError(
                f"user data may become {size} bytes, EC2 allows {MAXIMUM_USER_DATA_BYTES}; mount "
                "fewer file systems"
            )
        return script


def largest_size(text: str) -> int:
    """Bytes of a text once its tokens are filled in, each counted as 128 bytes.

    The longest value used, a file system's DNS name, has about 60.
    """
    tokens = len(_TOKEN.findall(text))
    return len(_TOKEN.sub("", text).encode()) + tokens * _WORST_TOKEN_BYTES
