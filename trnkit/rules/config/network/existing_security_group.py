"""TRN112: the rules of an existing security group cannot be read offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.nodes import uses_efa
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    existing = cluster.network.existing
    if existing is None or existing.security_group_id is None:
        return
    if any(uses_efa(group) for group in cluster.compute.node_groups):
        yield Violation(
            message=f"network.existing.security_group_id is {existing.security_group_id}, whose "
            "rules only the account can tell",
            hint="see that it admits all traffic from itself and to itself, naming the group both "
            "times: a rule for 0.0.0.0/0 does not count for EFA",
            path=("network", "existing", "security_group_id"),
        )


RULE = ConfigRule(
    id="TRN112",
    title="an existing security group has EFA's rules",
    severity=Severity.INFO,
    why="EFA works only between members of a group with a rule for all traffic from itself and "
    "one for all traffic to itself. Without the second, nodes start and jobs hang.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html",
    good="network:\n"
    "  existing:\n"
    "    vpc_id: vpc-0123456789abcdef0\n"
    "    compute_subnet_id: subnet-0123456789abcdef0\n"
    "    availability_zone_id: use2-az3\n",
    bad="network:\n"
    "  existing:\n"
    "    vpc_id: vpc-0123456789abcdef0\n"
    "    compute_subnet_id: subnet-0123456789abcdef0\n"
    "    availability_zone_id: use2-az3\n"
    "    security_group_id: sg-0123456789abcdef0\n",
    check=_check,
)
