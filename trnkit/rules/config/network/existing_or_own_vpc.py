"""TRN110: a VPC is either the cluster's own or an existing one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_OF_OWN_VPC = (
    "vpc_cidr",
    "nat_gateway",
    "control_plane_zone_ids",
    "secondary_cidr",
    "flow_logs",
)
_INSTEAD = {
    "vpc_cidr": "remove it, or write it below existing: there it is what the VPC has",
    "control_plane_zone_ids": "write existing.control_plane_subnet_ids in its place",
}


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    network = cluster.network
    if network.existing is None:
        return
    for key in _OF_OWN_VPC:
        # What the file says, even when that is the default: it would have no effect.
        if key in network.model_fields_set and getattr(network, key) not in (None, ()):
            yield Violation(
                message=f"network.{key} is for a VPC of the cluster's own, and network.existing "
                "names one that is there already",
                hint=_INSTEAD.get(key, "remove it: the VPC's owner decides that"),
                path=("network", key),
            )
    zone = network.availability_zone_id
    if zone not in (None, network.existing.availability_zone_id):
        yield Violation(
            message=f"network.availability_zone_id is {zone}, "
            f"network.existing.availability_zone_id {network.existing.availability_zone_id}",
            hint="keep the one below existing, with the zone of the compute subnet",
            path=("network", "availability_zone_id"),
        )


RULE = ConfigRule(
    id="TRN110",
    title="what only a VPC of one's own has is not asked of an existing one",
    severity=Severity.ERROR,
    why="Blocks, gateways and subnets of an existing VPC are as they are. A key that has no effect "
    "says something that is not so.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/configure-your-vpc.html",
    good="network:\n"
    "  existing:\n"
    "    vpc_id: vpc-0123456789abcdef0\n"
    "    compute_subnet_id: subnet-0123456789abcdef0\n"
    "    availability_zone_id: use2-az3\n"
    "    vpc_cidr: 10.0.0.0/16\n",
    bad="network:\n"
    "  vpc_cidr: 10.0.0.0/16\n"
    "  existing:\n"
    "    vpc_id: vpc-0123456789abcdef0\n"
    "    compute_subnet_id: subnet-0123456789abcdef0\n"
    "    availability_zone_id: use2-az3\n",
    check=_check,
)
