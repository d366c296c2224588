"""TRN111: an existing VPC has its S3 gateway endpoint, made here or before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_KEY = "network.existing.create_s3_gateway_endpoint"
_PATH = ("network", "existing", "create_s3_gateway_endpoint")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    existing = cluster.network.existing
    if existing is None:
        return
    if existing.create_s3_gateway_endpoint and not existing.route_table_ids:
        yield Violation(
            message=f"{_KEY} is true, and no route_table_ids say where",
            hint="name the route tables of the compute and storage subnets",
            path=_PATH,
        )
    elif existing.route_table_ids and not existing.create_s3_gateway_endpoint:
        yield Violation(
            message=f"network.existing.route_table_ids have no effect while {_KEY} is false",
            hint="set create_s3_gateway_endpoint to true, or remove the route tables",
            path=("network", "existing", "route_table_ids"),
            severity=Severity.WARNING,
        )
    elif not existing.create_s3_gateway_endpoint:
        owner = "ask the VPC's owner for one" if existing.shared else "see that the VPC has one"
        yield Violation(
            message="no gateway endpoint for S3 is made in the existing VPC; without one, data "
            "and checkpoints pay for NAT by the gigabyte",
            hint=owner,
            path=_PATH,
            severity=Severity.INFO,
        )


RULE = ConfigRule(
    id="TRN111",
    title="an S3 gateway endpoint in an existing VPC has its route tables",
    severity=Severity.ERROR,
    why="A gateway endpoint serves the route tables that it is given, and no others. A route "
    "table takes one such endpoint, so the toolkit makes none unasked.",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-s3.html",
    good="network:\n"
    "  existing:\n"
    "    vpc_id: vpc-0123456789abcdef0\n"
    "    compute_subnet_id: subnet-0123456789abcdef0\n"
    "    availability_zone_id: use2-az3\n"
    "    create_s3_gateway_endpoint: true\n"
    "    route_table_ids: [rtb-0123456789abcdef0]\n",
    bad="network:\n"
    "  existing:\n"
    "    vpc_id: vpc-0123456789abcdef0\n"
    "    compute_subnet_id: subnet-0123456789abcdef0\n"
    "    availability_zone_id: use2-az3\n"
    "    create_s3_gateway_endpoint: true\n",
    check=_check,
)
