"""The schedule of blocks against the clock, and reservations that bill idle."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.trnkit.operations.preflight.conftest import make_cluster
from tests.trnkit.operations.preflight.fake_account import DENIED, OWN, instance, running
from tests.trnkit.operations.preflight.situations.reservation import RESERVATION, reservations


def block(start, end, **keys):
    capacity = {
        "type": "capacity-block",
        "capacity_reservation_id": "cr-0123456789abcdef0",
        "start": start,
        "end": end,
    }
    return make_cluster({"capacity": capacity | keys})


def stack(tags, status="CREATE_COMPLETE"):
    made = datetime(2027, 1, 1, tzinfo=UTC)
    entry = {"StackName": "pretrain-Compute", "CreationTime": made, "Tags": tags}
    return {"DescribeStacks": {"Stacks": [entry | {"StackStatus": status}]}}


PAST, SOON, LATE = "2027-01-25T11:30:00Z", "2027-02-01T12:00:01Z", "2027-02-08T11:30:00Z"
AT_ONCE = {"launch": "with-deployment"}
TOLD = AT_ONCE | {"checkpoint_minutes": 15}
TOLD_AT_NOON = "group-0 is told to write a checkpoint at 2027-02-01T12:00:00Z, which is past"


def runs(**changes):
    """The stack of an earlier deployment, and one instance."""
    node = {
        "InstanceLifecycle": "capacity-block",
        "CapacityReservationId": "cr-0123456789abcdef0",
        "Tags": [*OWN, {"Key": "trnkit-node-group", "Value": "group-0"}],
    }
    return stack(OWN) | {"DescribeInstances": running(instance(**node | changes))}


OTHER_GROUP = {"Tags": [*OWN, {"Key": "trnkit-node-group", "Value": "group-1"}]}
OTHER_BLOCK = {"CapacityReservationId": "cr-00000000000000001"}
NONE_RUNS = "which is past, and none of its nodes runs in the block"


@pytest.mark.parametrize(
    ("cluster", "told", "status", "words"),
    [
        (block(SOON, LATE), {}, "ok", "starts 2027-02-01T12:00:01Z and is emptied at"),
        (block("2027-02-01T12:00:00Z", LATE), {}, "fail", "starts at 2027-02-01T12:00:00Z, which"),
        (block(PAST, LATE), {}, "fail", "which is past: Auto Scaling refuses the schedule"),
        (block(PAST, LATE), runs(), "ok", "started 2027-01-25T11:30:00Z and is emptied at"),
        (block(PAST, LATE), stack(OWN), "warning", NONE_RUNS),
        (block(PAST, LATE), runs(**OTHER_GROUP), "warning", NONE_RUNS),
        (block(PAST, LATE), runs(**OTHER_BLOCK), "warning", NONE_RUNS),
        (block(PAST, LATE), runs(Tags=[]), "warning", NONE_RUNS),
        (block(PAST, LATE, **AT_ONCE), stack(OWN), "ok", "starts with the deployment"),
        (block(SOON, LATE), stack(OWN), "ok", "starts 2027-02-01T12:00:01Z and is emptied at"),
        (block(PAST, LATE), stack([]), "fail", "which is past"),
        # A first try, of which nothing is left.
        (block(PAST, LATE), stack(OWN, "ROLLBACK_COMPLETE"), "fail", "which is past"),
        (block(PAST, LATE, **AT_ONCE), {}, "ok", "starts with the deployment and is emptied at"),
        # 30 minutes before the end EC2 begins, and 10 before that the group is emptied.
        (block(PAST, "2027-02-01T12:40:00Z", **AT_ONCE), {}, "fail", "emptied at 2027-02-01T12:00"),
        (block(PAST, "2027-02-01T12:41:00Z", **AT_ONCE), {}, "ok", "emptied at 2027-02-01T12:01"),
        (block(PAST, "2027-02-01T11:30:00Z"), stack(OWN), "warning", "which is past"),
        # Told 15 minutes before that.
        (block(PAST, "2027-02-01T12:55:00Z", **TOLD), {}, "warning", TOLD_AT_NOON),
        (block(PAST, "2027-02-01T12:56:00Z", **TOLD), {}, "ok", "emptied at 2027-02-01T12:16"),
        (block(PAST, "2027-02-01T12:55:00Z", **TOLD), stack(OWN), "ok", "with the deployment"),
        (make_cluster(), {}, "ok", "the file asks for nothing of it"),
    ],
)
def test_a_schedule_in_the_past_is_refused_unless_it_is_there_already(
    cluster, told, status, words, ask
):
    done = ask("block-schedule", cluster, **told)
    assert done.status == status, done.results
    assert words in done.results[0].message


def test_nodes_in_any_block_of_a_resource_group_show_that_the_schedule_is_there(ask):
    pool = "arn:aws:resource-groups:us-east-2:111122223333:group/mine"
    cluster = block(
        PAST, LATE, capacity_reservation_id=None, capacity_reservation_resource_group_arn=pool
    )
    assert ask("block-schedule", cluster, **runs(**OTHER_BLOCK)).status == "ok"
    reserved = runs(InstanceLifecycle="scheduled")
    assert ask("block-schedule", cluster, **reserved).status == "warning"


def test_nodes_that_nobody_may_count_leave_a_start_in_the_past_unknown(ask):
    told = stack(OWN) | {"DescribeInstances": DENIED}
    done = ask("block-schedule", block(PAST, LATE), **told)
    assert done.status == "unknown"
    assert done.results[0].path == ("compute", "node_groups", 0, "capacity", "start")


def idle(**changes):
    kept = {"AvailableInstanceCount": 4}
    return {"DescribeCapacityReservations": reservations(RESERVATION | kept | changes)}


PLAIN = make_cluster()
NONE = make_cluster({"capacity": {"capacity_reservation_preference": "none"}})
# A placement group of the file's own admits only reservations that were made in it.
NEW = make_cluster({"placement": {"cluster": True}})
OURS = make_cluster({"placement": {"group_name": "ours"}})
PLACEMENT = "arn:aws:ec2:us-east-2:111122223333:placement-group/ours"


@pytest.mark.parametrize(
    ("cluster", "told", "status"),
    [
        (PLAIN, idle(), "warning"),
        (PLAIN, idle(AvailableInstanceCount=3), "ok"),
        (PLAIN, idle(InstanceMatchCriteria="open"), "ok"),
        (PLAIN, idle(AvailabilityZoneId="use2-az1"), "ok"),
        (PLAIN, idle(InstanceType="trn1.32xlarge"), "ok"),
        (PLAIN, idle(InstancePlatform="Windows"), "ok"),
        (PLAIN, idle(Tenancy="dedicated"), "ok"),
        (PLAIN, idle(State="pending"), "ok"),
        (PLAIN, idle(Interruptible=True), "ok"),
        (PLAIN, idle(ReservationType="capacity-block"), "ok"),
        (PLAIN, idle(OwnerId="123456789012"), "ok"),
        (PLAIN, idle(Tags=OWN), "ok"),
        (PLAIN, idle(Tags=[{"Key": "trnkit-cluster", "Value": "another"}]), "ok"),
        (PLAIN, idle(EndDate=datetime(2027, 2, 1, tzinfo=UTC)), "ok"),
        (NONE, idle(InstanceMatchCriteria="open"), "warning"),
        (NEW, idle(), "ok"),
        (OURS, idle(), "ok"),
        (OURS, idle(PlacementGroupArn=PLACEMENT), "warning"),
        (PLAIN, idle(PlacementGroupArn=PLACEMENT), "ok"),
        (make_cluster({"capacity": {"type": "spot"}}), idle(), "ok"),
        (make_cluster({"count": 0}), idle(), "ok"),
    ],
)
def test_what_bills_idle_beside_on_demand_nodes(cluster, told, status, ask):
    done = ask("idle-reservations", cluster, **told)
    assert done.status == status, done.results
    if status == "warning":
        (result,) = done.results
        assert result.message == (
            "cr-0123456789abcdef0 bills 4 idle trn2.48xlarge in use2-az3, and node group group-0 "
            "starts 4 On-Demand beside it"
        )
        assert "capacity_reservation_id: cr-0123456789abcdef0}`" in result.remedy


def test_a_reservation_that_another_group_names_is_not_idle(ask):
    named = {
        "capacity": {
            "type": "on-demand-reservation",
            "capacity_reservation_id": "cr-0123456789abcdef0",
        }
    }
    cluster = make_cluster({}, named)
    assert ask("idle-reservations", cluster, **idle()).status == "ok"
