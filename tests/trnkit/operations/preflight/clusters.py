"""Clusters that the checks' tests ask about."""

from __future__ import annotations

from tests.trnkit.operations.preflight.fake_account import ACCOUNT, SUBNET, VPC
from trnkit.config import ClusterConfig

IMPORTED = {
    "existing": {
        "vpc_id": VPC,
        "compute_subnet_id": SUBNET,
        "availability_zone_id": "use2-az3",
    }
}


def make_cluster(*groups, region="us-east-2", account=ACCOUNT, network=None, **keys):
    """A cluster with these node groups; four trn2.48xlarge without any."""
    each = {"instance_type": "trn2.48xlarge", "count": 4}
    listed = [{"name": f"group-{i}"} | each | group for i, group in enumerate(groups or [{}])]
    return ClusterConfig(
        name="pretrain",
        region=region,
        account=account,
        network={"availability_zone_id": "use2-az3"} if network is None else network,
        compute={"node_groups": listed},
        budget={"limit_usd": 100.0, "emails": ["a@example.com"]},
        **keys,
    )
