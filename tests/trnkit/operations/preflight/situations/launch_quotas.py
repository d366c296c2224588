"""What check launch-quotas is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.fake_account import Refusal
from tests.trnkit.operations.preflight.situations import Situation

SITUATION = Situation(
    empty=("unknown", "the cluster takes 1 Auto Scaling group, 1 of 500 with all else"),
    whole={
        "GetServiceQuota": Refusal("NoSuchResourceException"),
        "GetAWSDefaultServiceQuota": {"Quota": {"Value": 50.0}},
    },
    well={
        "DescribeAccountLimits": {
            "MaxNumberOfAutoScalingGroups": 500,
            "NumberOfAutoScalingGroups": 0,
        },
        "DescribeAutoScalingGroups": {"AutoScalingGroups": []},
        "DescribeVolumes": {"Volumes": [{"VolumeId": "vol-1", "Size": 100}]},
        "DescribePlacementGroups": {"PlacementGroups": []},
    },
    nothing={"DescribeVolumes": {"Volumes": []}},
)
