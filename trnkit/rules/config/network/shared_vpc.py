"""TRN113: in a VPC shared by another account nothing is made that only its owner may make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    existing = cluster.network.existing
    if existing is None or not existing.shared:
        return
    if existing.create_s3_gateway_endpoint:
        yield Violation(
            message="network.existing.create_s3_gateway_endpoint is true in subnets that another "
            "account shares; only the VPC's owner may make endpoints",
            hint="set it to false, and ask the owner for the endpoint",
            path=("network", "existing", "create_s3_gateway_endpoint"),
        )
    if cluster.network.interface_endpoints:
        yield Violation(
            message="network.interface_endpoints are asked for in subnets that another account "
            "shares; only the VPC's owner may make endpoints",
            hint="remove them, and ask the owner for the endpoints",
            path=("network", "interface_endpoints"),
        )


RULE = ConfigRule(
    id="TRN113",
    title="a participant of a shared VPC makes no endpoints",
    severity=Severity.ERROR,
    why="Subnets, route tables, gateways and endpoints of a shared VPC are its owner's. What a "
    "participant may make are interfaces, instances, file systems and security groups.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/vpc-share-limitations.html",
    good="network:\n"
    "  existing:\n"
    "    vpc_id: vpc-0123456789abcdef0\n"
    "    compute_subnet_id: subnet-0123456789abcdef0\n"
    "    availability_zone_id: use2-az3\n"
    "    shared: true\n",
    bad="network:\n"
    "  interface_endpoints: [ecr.api]\n"
    "  existing:\n"
    "    vpc_id: vpc-0123456789abcdef0\n"
    "    compute_subnet_id: subnet-0123456789abcdef0\n"
    "    availability_zone_id: use2-az3\n"
    "    shared: true\n",
    check=_check,
)
