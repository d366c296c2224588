"""What check network-acls is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.networks import (
    LUSTRE_THERE,
    STORAGE,
    acls,
    existing_lustre,
    file_systems,
    network,
    subnets,
)
from tests.trnkit.operations.preflight.situations import Situation

SITUATION = Situation(
    empty=("unknown", "the network ACL of subnet-0123456789abcdef0 cannot be judged"),
    cluster=make_cluster(network=network(storage_subnet_id=STORAGE), storage=existing_lustre()),
    whole={"DescribeSubnets": subnets, "fsx.DescribeFileSystems": LUSTRE_THERE},
    well={"DescribeNetworkAcls": acls()},
    nothing={
        "DescribeNetworkAcls": {"NetworkAcls": []},
        "fsx.DescribeFileSystems": file_systems,
    },
)
