"""What check subnets is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.clusters import IMPORTED, make_cluster
from tests.trnkit.operations.preflight.situations import Situation
from tests.trnkit.operations.preflight.situations.reservation import NODES

WHOLE = {
    "DescribeInstances": {
        "Reservations": [
            {
                "Instances": [
                    instance | {"SubnetId": "subnet-0123456789abcdef0"}
                    for instance in NODES["Reservations"][0]["Instances"]
                ]
            }
        ]
    },
    "DescribeSubnets": {
        "Subnets": [
            {
                "SubnetId": "subnet-0123456789abcdef0",
                "VpcId": "vpc-0123456789abcdef0",
                "AvailabilityZoneId": "use2-az3",
                "AvailableIpAddressCount": 0,
            }
        ]
    },
}

SITUATION = Situation(
    empty=("fail", "this account sees no subnet subnet-0123456789abcdef0"),
    cluster=make_cluster(network=IMPORTED),
    whole=WHOLE,
)
