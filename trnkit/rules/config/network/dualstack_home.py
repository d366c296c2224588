"""TRN121: a dual-stack home file system is in a dual-stack network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    home = cluster.storage.home_file_system
    if home is None or home.ip_address_type == "ipv4":
        return
    if cluster.network.ip_address_type == "ipv4":
        yield Violation(
            message="storage.home_file_system.ip_address_type is dualstack, and "
            "network.ip_address_type ipv4: the mount target's subnet has no IPv6 block",
            hint="write `ip_address_type: dualstack` in network too, or remove it here",
            path=("storage", "home_file_system", "ip_address_type"),
        )


RULE = ConfigRule(
    id="TRN121",
    title="a dual-stack home file system is in a dual-stack network",
    severity=Severity.ERROR,
    why="EFS makes a dual-stack mount target in a dual-stack subnet alone; the deployment fails.",
    source="https://docs.aws.amazon.com/efs/latest/ug/manage-fs-access-create-delete-mount-targets.html",
    good="network: {ip_address_type: dualstack}\n"
    "storage: {home_file_system: {ip_address_type: dualstack}}\n",
    bad="storage: {home_file_system: {ip_address_type: dualstack}}\n",
    check=_check,
)
