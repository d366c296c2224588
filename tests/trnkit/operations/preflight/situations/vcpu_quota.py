"""What check vcpu-quota is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import Refusal
from tests.trnkit.operations.preflight.situations import Situation
from tests.trnkit.operations.preflight.situations.image import NEW, TYPE

SITUATION = Situation(
    empty=(
        "unknown",
        "group-0 asks for 768 on-demand vCPUs, and Service Quotas in us-east-2 knows no quota",
    ),
    cluster=make_cluster(*NEW),
    empty_cluster=make_cluster(),
    whole={
        "GetServiceQuota": Refusal("NoSuchResourceException"),
        "GetAWSDefaultServiceQuota": {"Quota": {"Value": 5000.0}},
        "DescribeInstanceTypes": {"InstanceTypes": [TYPE]},
    },
)
