"""What check endpoint-policies is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.networks import (
    COMPUTE_BLOCK,
    MORE,
    endpoint,
    endpoints,
    group,
    groups,
    network,
    permission,
    prefix_list,
)
from tests.trnkit.operations.preflight.situations import Situation

ADMITTING = group(MORE, [permission(ports=(443, 443), prefix_lists=("pl-1",))], [])

SITUATION = Situation(
    empty=("unknown", "the endpoints that serve subnet-0123456789abcdef0 cannot be judged"),
    # Without an account in the file, the bucket of the boot scripts has the credentials' in it.
    cluster=make_cluster(account=None, network=network()),
    whole={
        "DescribeVpcEndpoints": endpoints(endpoint("s3"), endpoint("autoscaling")),
        "DescribeSecurityGroups": groups(ADMITTING),
        "GetManagedPrefixListEntries": prefix_list(COMPUTE_BLOCK),
    },
)
