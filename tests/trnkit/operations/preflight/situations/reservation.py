"""What check reservation is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import Refusal
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

GROUP_ARN = "arn:aws:resource-groups:us-east-2:111122223333:group/mine"
POOLED = {
    "capacity": {
        "type": "on-demand-reservation",
        "capacity_reservation_resource_group_arn": GROUP_ARN,
    }
}
POOL_ID = "cr-00000000000000001"
POOL = {
    "GroupConfiguration": {
        "Configuration": [
            {"Type": "AWS::EC2::CapacityReservationPool"},
            {
                "Type": "AWS::ResourceGroups::Generic",
                "Parameters": [
                    {
                        "Name": "allowed-resource-types",
                        "Values": ["AWS::EC2::CapacityReservation"],
                    }
                ],
            },
        ]
    }
}


def members(*reservation_ids):
    """What a resource group says of its reservations."""
    arn = "arn:aws:ec2:us-east-2:111122223333:capacity-reservation/"
    kind = "AWS::EC2::CapacityReservation"
    identifiers = [{"ResourceArn": f"{arn}{n}", "ResourceType": kind} for n in reservation_ids]
    return {"Resources": [{"Identifier": identifier} for identifier in identifiers]}


def reservations(*entries):
    """Reservations by id, as EC2 tells each; whoever names none gets all."""

    def answer(told, region):
        wanted = told.get("CapacityReservationIds")
        chosen = [e for e in entries if not wanted or e["CapacityReservationId"] in wanted]
        missing = Refusal("InvalidCapacityReservationId.NotFound")
        return {"CapacityReservations": chosen} if chosen or not wanted else missing

    return answer


SITUATION = Situation(
    empty=("fail", "this account sees no reservation cr-0123456789abcdef0"),
    cluster=make_cluster(RESERVED, POOLED),
    empty_cluster=make_cluster(RESERVED),
    whole={
        "DescribeCapacityReservations": reservations(
            RESERVATION,
            RESERVATION | {"CapacityReservationId": POOL_ID, "AvailableInstanceCount": 4},
        ),
        "DescribeInstances": NODES,
    },
    well={
        "GetGroupConfiguration": POOL,
        "ListGroupResources": members(POOL_ID),
    },
    nothing={
        "GetGroupConfiguration": Refusal("NotFoundException", status=404),
        "ListGroupResources": Refusal("NotFoundException", status=404),
    },
)
