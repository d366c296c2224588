"""Endpoints that a deployment makes, and EC2 refuses because an existing VPC has them already.

Sources:
    https://docs.aws.amazon.com/vpc/latest/privatelink/create-interface-endpoint.html
    https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.layout.endpoints import GATEWAY_SERVICE, interface_endpoints_of
from trnkit.operations.preflight.existing_network import listed_endpoints
from trnkit.operations.preflight.result import fail

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ExistingNetworkConfig
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult

_IN_THE_WAY = ("available", "pending")


def endpoint_clashes(
    account: AccountView, existing: ExistingNetworkConfig
) -> Iterator[CheckResult]:
    """What EC2 refuses to make a second time; the cluster's own endpoints are not in the way.

    Args:
        account: Whom to ask.
        existing: The VPC, whose endpoints the account sees.

    Raises:
        AwsFailure: AWS gave no answer.
    """
    cluster, region = account.cluster, account.cluster.region
    made = interface_endpoints_of(cluster)
    tables = existing.route_table_ids if existing.create_s3_gateway_endpoint else ()
    if not (made or tables):
        return
    there = [
        endpoint
        for endpoint in listed_endpoints(account, existing.vpc_id)
        if endpoint.state in _IN_THE_WAY and not account.is_own(endpoint.tags)
    ]
    look = f"aws ec2 describe-vpc-endpoints --region {region} --vpc-endpoint-ids"
    for index, service in enumerate(made):
        for found in there:
            if found.serves_by_name(service, region):
                yield fail(
                    f"{existing.vpc_id} has an endpoint of {service} with private DNS already, "
                    f"{found.endpoint_id}; EC2 refuses the one that the file makes",
                    remedy=f"take {service} out of network.interface_endpoints: its name leads the "
                    "nodes to the one that is there",
                    look=f"{look} {found.endpoint_id}",
                    path=("network", "interface_endpoints", index),
                )
    for table in tables:
        for found in there:
            if found.serves_by_routes(GATEWAY_SERVICE, region, table):
                yield fail(
                    f"{table} has the routes of a gateway endpoint for S3 already, "
                    f"{found.endpoint_id}; EC2 refuses those of the one that the file makes",
                    remedy="take the table out of network.existing.route_table_ids; when none is "
                    "left, create_s3_gateway_endpoint too",
                    look=f"{look} {found.endpoint_id}",
                    path=("network", "existing", "route_table_ids"),
                )
