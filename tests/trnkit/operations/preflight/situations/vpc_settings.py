"""What check vpc-settings is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import Refusal
from tests.trnkit.operations.preflight.networks import VPC_THERE, attributes, dhcp, network
from tests.trnkit.operations.preflight.situations import Situation

GONE = Refusal("InvalidVpcID.NotFound")

SITUATION = Situation(
    empty=("fail", "this account sees no VPC vpc-0123456789abcdef0 in us-east-2"),
    cluster=make_cluster(network=network()),
    well={
        "DescribeVpcs": VPC_THERE,
        "DescribeVpcAttribute": attributes(),
        "DescribeDhcpOptions": dhcp("AmazonProvidedDNS"),
    },
    nothing={
        "DescribeVpcs": GONE,
        "DescribeVpcAttribute": GONE,
        "DescribeDhcpOptions": Refusal("InvalidDhcpOptionID.NotFound"),
    },
)
