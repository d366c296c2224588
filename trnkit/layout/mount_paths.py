"""Folders of a node over which nothing may be mounted: a mount hides what is in them."""

from __future__ import annotations

_WHOLLY_THE_SYSTEM = (
    *("/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/proc", "/run", "/sbin", "/sys", "/usr", "/opt/amazon", "/opt/aws", "/snap"),
    *("/opt/trnkit", "/var/lib/trnkit", "/var/lib/cloud"),
)
"""Neither these nor anything below; /opt/amazon holds EFA, /opt/aws the Neuron tools, the last
three what the boot itself needs."""
_IN_USE = (
    *("/home", "/home/ec2-user", "/home/ubuntu", "/media", "/mnt", "/opt", "/root", "/srv"),
    *("/var", "/var/lib", "/var/lib/docker", "/var/lib/containerd", "/var/log", "/var/run"),
    *("/tmp", "/var/tmp"),  # noqa: S108 - names to refuse; nothing is written there
)
"""Not these themselves: what a system keeps there would be hidden."""


def belongs_to_the_system(mount_path: str) -> bool:
    """Whether a node would lose something that it needs below a mount at this path."""
    below = any(f"{mount_path}/".startswith(f"{folder}/") for folder in _WHOLLY_THE_SYSTEM)
    return below or mount_path in _IN_USE
