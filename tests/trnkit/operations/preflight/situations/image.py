"""What check image is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.situations import Situation

NEW = ({"instance_type": "trn9.48xlarge"}, {"capacity": {"type": "spot"}, "count": 1})
TYPE = {
    "InstanceType": "trn9.48xlarge",
    "VCpuInfo": {"DefaultVCpus": 384},
    "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]},
}

SITUATION = Situation(
    empty=("fail", "us-east-2 has no parameter /aws/service/neuron"),
    cluster=make_cluster(*NEW),
    empty_cluster=make_cluster(),
    whole={"DescribeInstanceTypes": {"InstanceTypes": [TYPE]}},
)
