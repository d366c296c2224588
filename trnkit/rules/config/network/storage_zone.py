"""TRN119: file systems are in the nodes' zone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import region_of_zone_id
from trnkit.findings import Severity
from trnkit.layout.zones import zone_number
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_KEY = "network.existing.storage_availability_zone_id"
_PATH = ("network", "existing", "storage_availability_zone_id")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    existing = cluster.network.existing
    if existing is None or existing.storage_availability_zone_id is None:
        return
    zone, nodes = existing.storage_availability_zone_id, existing.availability_zone_id
    home = region_of_zone_id(zone)
    if zone_number(zone) is None:
        yield Violation(
            message=f"{_KEY} is {zone}, which is no id of an Availability Zone",
            hint="write a zone id such as use2-az3, not a name",
            path=_PATH,
            severity=Severity.ERROR,
        )
    elif home not in (None, cluster.region):
        yield Violation(
            message=f"{_KEY} is {zone}, a zone of {home}; the cluster's region is {cluster.region}",
            hint="take a subnet of the cluster's region",
            path=_PATH,
            severity=Severity.ERROR,
        )
    elif zone != nodes and cluster.storage.lustre_file_systems:
        yield Violation(
            message=f"{_KEY} is {zone}, and the nodes are in {nodes}: every gigabyte between them "
            "is billed as traffic across zones, and waits longer",
            hint=f"take a storage subnet in {nodes}",
            path=_PATH,
        )


RULE = ConfigRule(
    id="TRN119",
    title="file systems are in the zone of the nodes",
    severity=Severity.WARNING,
    why="A Lustre file system is in one zone. From another it works, at the price of traffic "
    "across zones and of latency.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/performance.html",
    good="network:\n"
    "  existing:\n"
    "    vpc_id: vpc-0123456789abcdef0\n"
    "    compute_subnet_id: subnet-0123456789abcdef0\n"
    "    storage_subnet_id: subnet-0fedcba9876543210\n"
    "    availability_zone_id: use2-az3\n"
    "    storage_availability_zone_id: use2-az3\n",
    bad="network:\n"
    "  existing:\n"
    "    vpc_id: vpc-0123456789abcdef0\n"
    "    compute_subnet_id: subnet-0123456789abcdef0\n"
    "    storage_subnet_id: subnet-0fedcba9876543210\n"
    "    availability_zone_id: use2-az3\n"
    "    storage_availability_zone_id: use2-az1\n"
    "storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 1200}]}\n",
    check=_check,
)
