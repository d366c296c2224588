"""What check vcpu-quota is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import Refusal
from tests.trnkit.operations.preflight.situations import Situation
from tests.trnkit.operations.preflight.situations.image import NEW, TYPE

SITUATION = Situation(
    empty=("unknown", "GetAWSDefaultServiceQuota in us-east-2 for L-2C3B7624"),
    cluster=make_cluster(*NEW),
    empty_cluster=make_cluster(),
    whole={
        "GetServiceQuota": Refusal("NoSuchResourceException"),
        "GetAWSDefaultServiceQuota": {"Quota": {"Value": 5000.0}},
        "DescribeInstanceTypes": {"InstanceTypes": [TYPE]},
    },
)
