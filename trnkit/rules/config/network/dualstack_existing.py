"""TRN120: the subnets of an existing VPC have IPv6 when the nodes are to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    existing = cluster.network.existing
    if existing is None or cluster.network.ip_address_type == "ipv4":
        return
    needs = [f"{existing.compute_subnet_id} has an IPv6 block"]
    home = cluster.storage.home_file_system
    if home and home.ip_address_type == "dualstack" and existing.storage_subnet_id:
        needs.append(f"{existing.storage_subnet_id} has one")
    if existing.security_group_id:
        needs.append(f"{existing.security_group_id} lets HTTPS out to ::/0")
    yield Violation(
        message="network.ip_address_type is dualstack in an existing VPC: ids do not tell whether "
        f"{', '.join(needs)}, and the way out is an egress-only internet gateway",
        hint="look at Ipv6CidrBlockAssociationSet in `aws ec2 describe-subnets`",
        path=("network", "ip_address_type"),
    )


RULE = ConfigRule(
    id="TRN120",
    title="nodes with IPv6 start in subnets that have it",
    severity=Severity.INFO,
    why="EC2 refuses to launch nodes that ask for an IPv6 address in a subnet without a block. In "
    "an existing VPC only its owner, or the account, can tell.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/vpc-migrate-ipv6.html",
    good="network: {ip_address_type: dualstack}\n",
    bad="network:\n"
    "  ip_address_type: dualstack\n"
    "  existing:\n"
    "    vpc_id: vpc-0123456789abcdef0\n"
    "    compute_subnet_id: subnet-0123456789abcdef0\n"
    "    availability_zone_id: use2-az3\n",
    check=_check,
)
