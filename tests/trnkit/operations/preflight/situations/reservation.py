"""What check reservation is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.situations import Situation

RESERVATION = {
    "CapacityReservationId": "cr-0123456789abcdef0",
    "OwnerId": "111122223333",
    "InstanceType": "trn2.48xlarge",
    "InstancePlatform": "Linux/UNIX",
    "AvailabilityZoneId": "use2-az3",
    "Tenancy": "default",
    "TotalInstanceCount": 4,
    "AvailableInstanceCount": 0,
    "State": "active",
    "InstanceMatchCriteria": "targeted",
}
RESERVED = {
    "capacity": {
        "type": "on-demand-reservation",
        "capacity_reservation_id": "cr-0123456789abcdef0",
    }
}
NODES = {
    "Reservations": [
        {
            "Instances": [
                {
                    "InstanceType": "trn2.48xlarge",
                    "CapacityReservationId": "cr-0123456789abcdef0",
                    "Tags": [{"Key": "trnkit-cluster", "Value": "pretrain"}],
                }
            ]
            * 4
        }
    ]
}

SITUATION = Situation(
    empty=("fail", "this account sees no reservation cr-0123456789abcdef0"),
    cluster=make_cluster(RESERVED),
    whole={
        "DescribeCapacityReservations": {"CapacityReservations": [RESERVATION]},
        "DescribeInstances": NODES,
    },
)
