"""What check block-schedule is asked with."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import OWN, instance, running
from tests.trnkit.operations.preflight.situations import Situation

BLOCK = {
    "capacity": {
        "type": "capacity-block",
        "capacity_reservation_id": "cr-0123456789abcdef0",
        "start": "2027-03-01T11:30:00Z",
        "end": "2027-03-08T11:30:00Z",
    }
}

BEGUN = {"capacity": BLOCK["capacity"] | {"start": "2027-01-25T11:30:00Z"}}

NODE = instance(
    InstanceLifecycle="capacity-block",
    CapacityReservationId="cr-0123456789abcdef0",
    Tags=[*OWN, {"Key": "trnkit-node-group", "Value": "group-0"}],
)


def deployed(told, region):
    entry = {"StackName": told["StackName"], "StackStatus": "CREATE_COMPLETE", "Tags": OWN}
    return {"Stacks": [entry | {"CreationTime": datetime(2027, 1, 1, tzinfo=UTC)}]}


SITUATION = Situation(
    empty=("ok", "group-0 starts 2027-03-01T11:30:00Z and is emptied at 2027-03-08T10:50:00Z"),
    cluster=make_cluster(BEGUN),
    empty_cluster=make_cluster(BLOCK),
    whole={"DescribeStacks": deployed, "DescribeInstances": running(NODE)},
)
