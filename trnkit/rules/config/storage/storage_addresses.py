"""TRN322: the storage subnet has an address for every server of the file systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.addresses import addresses_needed, plan_subnets, usable_addresses
from trnkit.layout.lustre_judgement import Objection
from trnkit.layout.storage import addresses_of
from trnkit.rules.judging.cluster_parts import file_systems
from trnkit.rules.judging.objections import at_path
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    if cluster.network.existing:
        return
    needed = [addresses_of(config) or 0 for _, config in file_systems(cluster)]
    home = 1 if cluster.storage.home_file_system else 0
    groups = cluster.compute.node_groups
    subnet = plan_subnets(cluster.network.vpc_cidr, addresses_needed(groups)).storage
    total, room = sum(needed) + home, usable_addresses(subnet)
    if total > room:
        text = (
            f"is {cluster.network.vpc_cidr}, whose storage subnet {subnet} has {room} addresses; "
            f"the file systems take {total}"
        )
        evidence = "one address a storage server and a metadata server, as in the catalogue"
        yield at_path(("network", "vpc_cidr"), Objection(text, "take a larger block", evidence))


RULE = ConfigRule(
    id="TRN322",
    title="the storage subnet holds the file systems",
    severity=Severity.ERROR,
    why="Every server of a Lustre file system takes an address. Without enough of them "
    "the file system is not made, or cannot grow, and its subnet cannot be changed.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html",
    good="network: {vpc_cidr: 10.0.0.0/20}\n"
    "storage: {lustre_file_systems: [{name: fsx, "
    "storage_capacity_gib: 24000}]}\n",
    bad="network: {vpc_cidr: 10.0.0.0/22}\n"
    "storage: {lustre_file_systems: [{name: fsx, "
    "storage_capacity_gib: 48000}]}\n",
    check=_check,
)
