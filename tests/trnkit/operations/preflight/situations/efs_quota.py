"""What check efs-quota is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import Refusal
from tests.trnkit.operations.preflight.situations import Situation

SITUATION = Situation(
    empty=(
        "unknown",
        "the cluster takes 1 file system of EFS, and Service Quotas in us-east-2 knows no quota",
    ),
    cluster=make_cluster(storage={"home_file_system": {}}),
    whole={
        "GetServiceQuota": Refusal("NoSuchResourceException"),
        "GetAWSDefaultServiceQuota": {"Quota": {"Value": 1000.0}},
    },
    well={"efs.DescribeFileSystems": {"FileSystems": []}},
)
