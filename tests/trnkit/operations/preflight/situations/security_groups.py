"""What check security-groups is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import VPC
from tests.trnkit.operations.preflight.networks import (
    COMPUTE_BLOCK,
    GOOD_NODES,
    LUSTRE_THERE,
    MORE,
    NODES,
    SERVERS,
    associations,
    existing_lustre,
    file_systems,
    group,
    groups,
    interfaces,
    network,
    permission,
    prefix_list,
)
from tests.trnkit.operations.preflight.situations import Situation

OF_SERVERS = group(SERVERS, [permission(ports=(988, 1023), prefix_lists=("pl-1",))], [])
OF_ANOTHER_VPC = group(MORE, [], [], vpc_id="vpc-0fedcba9876543210")

SITUATION = Situation(
    empty=("fail", "this account sees no security group sg-0123456789abcdef0 in us-east-2"),
    cluster=make_cluster(
        {"additional_security_group_ids": [MORE]},
        network=network(security_group_id=NODES),
        storage=existing_lustre(change_security_group=False),
    ),
    whole={
        "DescribeSecurityGroups": groups(GOOD_NODES, OF_SERVERS, OF_ANOTHER_VPC),
        "DescribeSecurityGroupVpcAssociations": associations(**{MORE.replace("-", "_"): VPC}),
        "fsx.DescribeFileSystems": LUSTRE_THERE,
        "DescribeNetworkInterfaces": interfaces(SERVERS),
        "GetManagedPrefixListEntries": prefix_list(COMPUTE_BLOCK, "2600:1f14::/32"),
    },
    well={
        "DescribeSecurityGroups": groups(),
        "DescribeSecurityGroupVpcAssociations": associations(),
        "DescribeNetworkInterfaces": {"NetworkInterfaces": []},
        "GetManagedPrefixListEntries": prefix_list(),
    },
    nothing={"fsx.DescribeFileSystems": file_systems},
)
