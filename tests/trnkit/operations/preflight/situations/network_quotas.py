"""What check network-quotas is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import ACCOUNT, VPC, Refusal
from tests.trnkit.operations.preflight.situations import Situation

NETWORK = {"availability_zone_id": "use2-az3", "interface_endpoints": ["ecr.api"]}
"""With something of every kind to be counted."""

NOTHING = {
    "DescribeVpcs": {"Vpcs": []},
    "DescribeAddresses": {"Addresses": []},
    "DescribeNatGateways": {"NatGateways": []},
    "DescribeNetworkInterfaces": {"NetworkInterfaces": []},
    "DescribeSecurityGroups": {"SecurityGroups": []},
}

THERE = {
    "DescribeVpcs": {"Vpcs": [{"VpcId": VPC, "OwnerId": ACCOUNT, "IsDefault": True}]},
    "DescribeAddresses": {"Addresses": [{"AllocationId": "eipalloc-1", "Domain": "vpc"}]},
    "DescribeNatGateways": {"NatGateways": []},
    "DescribeNetworkInterfaces": {"NetworkInterfaces": []},
    "DescribeSecurityGroups": {
        "SecurityGroups": [{"GroupId": "sg-1", "VpcId": VPC, "OwnerId": ACCOUNT}]
    },
}

SITUATION = Situation(
    empty=(
        "unknown",
        "the cluster takes 1 VPC, and Service Quotas in us-east-2 knows no quota L-F678F1CE",
    ),
    cluster=make_cluster(network=NETWORK),
    whole=THERE
    | {
        "GetServiceQuota": Refusal("NoSuchResourceException"),
        "GetAWSDefaultServiceQuota": {"Quota": {"Value": 100.0}},
    },
    well=THERE,
    nothing=NOTHING,
)
