"""A reservation compared with the groups that use it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.trnkit.operations.preflight.conftest import IMPORTED, NOW, make_cluster
from tests.trnkit.operations.preflight.fake_account import OWN, Refusal, instance, running

ID = "cr-0123456789abcdef0"
START, END = datetime(2027, 3, 1, 11, 30, tzinfo=UTC), datetime(2027, 3, 8, 11, 30, tzinfo=UTC)


def reserved(**keys):
    capacity = {"type": "on-demand-reservation", "capacity_reservation_id": ID}
    return make_cluster({"capacity": capacity} | keys)


def block(**changes):
    capacity = {
        "type": "capacity-block",
        "capacity_reservation_id": ID,
        "start": "2027-03-01T11:30:00Z",
        "end": "2027-03-08T11:30:00Z",
    }
    return make_cluster({"capacity": capacity | changes})


def told(**changes):
    entry = {
        "CapacityReservationId": ID,
        "OwnerId": "111122223333",
        "InstanceType": "trn2.48xlarge",
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZoneId": "use2-az3",
        "Tenancy": "default",
        "TotalInstanceCount": 4,
        "AvailableInstanceCount": 4,
        "State": "active",
    }
    return {"DescribeCapacityReservations": {"CapacityReservations": [entry | changes]}}


def block_told(**changes):
    kept = {"ReservationType": "capacity-block", "StartDate": START, "EndDate": END}
    return told(**(kept | {"State": "scheduled", "AvailableInstanceCount": 0} | changes))


def test_one_that_fits(ask):
    done = ask("reservation", reserved(), **told())
    assert [result.message for result in done.results] == [
        f"reservation {ID} is active: 4 trn2.48xlarge in use2-az3, 4 free"
    ]


def test_a_file_without_reservations_asks_nothing(ask):
    done = ask("reservation")
    assert (done.status, ask.sessions[0].asked) == ("ok", [])


PLACEMENT = "arn:aws:ec2:us-east-2:111122223333:placement-group/ours"


@pytest.mark.parametrize(
    ("cluster", "answer", "status", "words"),
    [
        (reserved(), told(InstanceType="trn1.32xlarge"), "fail", "is of trn1.32xlarge, and node"),
        (reserved(), told(AvailabilityZoneId="use2-az1"), "fail", "is in use2-az1, and the nodes"),
        (reserved(), told(InstancePlatform="Windows"), "fail", "is for platform Windows"),
        (reserved(), told(Tenancy="dedicated"), "fail", "has tenancy dedicated"),
        (reserved(), told(State="expired"), "fail", f"{ID} is expired"),
        (reserved(), told(State="cancelled"), "fail", f"{ID} is cancelled"),
        (reserved(), told(State="scheduled"), "fail", "is scheduled and not active"),
        (reserved(), told(State="unavailable"), "warning", "is unavailable for now"),
        (
            reserved(),
            told(TotalInstanceCount=3),
            "fail",
            "has 3 instances, and the file asks for 4",
        ),
        (reserved(), told(AvailableInstanceCount=3), "fail", "3 of 4 instances"),
        (reserved(), block_told(State="active"), "fail", "is a Capacity Block, and capacity.type"),
        # The guide: without naming the placement group instances start there all the same.
        (reserved(), told(PlacementGroupArn=PLACEMENT), "ok", "4 free"),
        (
            reserved(placement={"group_name": "other"}),
            told(PlacementGroupArn=PLACEMENT),
            "fail",
            "was made in placement group ours, and node group group-0 is in other",
        ),
        (reserved(), told(State="cancelling"), "fail", f"{ID} is cancelling"),
        (reserved(), told(State="delayed"), "fail", "is delayed and not active"),
        (reserved(), told(State="assessing"), "fail", "is assessing and not active"),
        (reserved(), told(State="pending"), "warning", "is pending; EC2 may need 5 minutes"),
        (reserved(), told(State="hibernating"), "unknown", "is hibernating, a state that"),
        (reserved(), told(EndDate=NOW), "fail", "has ended at 2027-02-01T12:00:00Z"),
        (
            reserved(),
            told(EndDate=NOW + timedelta(seconds=1)),
            "warning",
            "ends 2027-02-01T12:00:01Z, within a day",
        ),
        (reserved(), told(Interruptible=True), "fail", "is interruptible: instances start in it"),
        (reserved(), told(Interruptible=False), "ok", "4 free"),
        (reserved(), told(LaunchStatus="unlaunchable"), "fail", "is active and unlaunchable"),
        (
            block(),
            block_told(State="payment-pending"),
            "warning",
            "is payment-pending: without the payment it is released",
        ),
        (block(), block_told(LaunchStatus="unlaunchable"), "ok", "is scheduled"),
        (
            block(launch="with-deployment", start="2027-01-01T11:30:00Z"),
            block_told(State="active", EndDate=NOW + timedelta(minutes=30)),
            "fail",
            "EC2 terminates what runs in cr-0123456789abcdef0 since 2027-02-01T12:00:00Z",
        ),
        (
            reserved(placement={"group_name": "ours"}),
            told(),
            "warning",
            "was made in no placement group, and node group group-0 is in ours",
        ),
        (
            reserved(placement={"group_name": "ours"}),
            told(PlacementGroupArn=PLACEMENT),
            "ok",
            "4 free",
        ),
        (
            reserved(),
            told(EndDate=datetime(2027, 2, 2, 11, tzinfo=UTC)),
            "warning",
            "ends 2027-02-02T11:00:00Z, within a day",
        ),
        (reserved(), told(EndDate=datetime(2027, 2, 2, 13, tzinfo=UTC)), "ok", "4 free"),
        (block(), block_told(), "ok", f"Capacity Block {ID} is scheduled"),
        (block(), block_told(State="payment-failed"), "fail", "is payment-failed"),
        (block(), told(), "fail", "is an On-Demand Capacity Reservation, and capacity.type"),
        (
            block(start="2027-02-28T11:30:00Z"),
            block_told(),
            "fail",
            "capacity.start is 2027-02-28T11:30:00Z, before",
        ),
        (
            block(end="2027-03-09T11:30:00Z"),
            block_told(),
            "fail",
            "capacity.end is 2027-03-09T11:30:00Z, and",
        ),
        (
            block(end="2027-03-07T11:30:00Z"),
            block_told(),
            "warning",
            "capacity.end is 2027-03-07T11:30:00Z, and",
        ),
        (
            block(launch="with-deployment"),
            block_told(),
            "fail",
            "is scheduled and not active, and node group group-0 starts with the deployment",
        ),
        (block(), block_told(TotalInstanceCount=2), "fail", "has 2 instances"),
        (block(), block_told(State="active"), "fail", "0 of 4 instances"),
    ],
)
def test_what_does_not_fit(cluster, answer, status, words, ask):
    done = ask("reservation", cluster, **answer)
    assert done.status == status, done.results
    assert words in done.results[0].message


@pytest.mark.parametrize("state", ["pending", "unavailable"])
def test_what_is_not_active_yet_is_not_crowded(state, ask):
    done = ask("reservation", reserved(), **told(State=state, AvailableInstanceCount=0))
    assert [result.status for result in done.results] == ["warning"]
    small = ask("reservation", reserved(), **told(State=state, TotalInstanceCount=3))
    assert small.status == "fail"


def test_nodes_of_an_existing_network_change_the_zone_with_their_subnet(ask):
    capacity = {"type": "on-demand-reservation", "capacity_reservation_id": ID}
    made = make_cluster({"capacity": capacity}, network=IMPORTED)
    (there,) = ask("reservation", made, **told(AvailabilityZoneId="use2-az1")).results
    assert there.remedy == "name a subnet in use2-az1 in `network.existing`"
    (ours,) = ask("reservation", reserved(), **told(AvailabilityZoneId="use2-az1")).results
    assert ours.remedy == "write `availability_zone_id: use2-az1`"


def test_a_state_that_nobody_knows_is_looked_up_in_the_cluster_s_region(ask):
    (result, *_) = ask("reservation", reserved(), **told(State="hibernating")).results
    assert result.look == (
        f"aws ec2 describe-capacity-reservations --region us-east-2 --capacity-reservation-ids {ID}"
    )


def test_places_that_the_cluster_s_own_nodes_have_are_theirs(ask):
    node = instance(CapacityReservationId=ID, Tags=OWN)
    answer = told(AvailableInstanceCount=1)
    assert ask("reservation", reserved(), **answer).status == "fail"
    three = {"DescribeInstances": running(*[node] * 3)}
    assert ask("reservation", reserved(), **answer, **three).status == "ok"
    other = {"DescribeInstances": running(*[instance(CapacityReservationId=ID)] * 3)}
    assert ask("reservation", reserved(), **answer, **other).status == "fail"


def test_groups_that_share_a_reservation_add_up(ask):
    capacity = {"type": "on-demand-reservation", "capacity_reservation_id": ID}
    cluster = make_cluster({"count": 3, "capacity": capacity}, {"count": 2, "capacity": capacity})
    done = ask("reservation", cluster, **told())
    assert "has 4 instances, and the file asks for 5" in done.results[0].message


def test_one_of_another_account_or_region_is_not_there(ask):
    refusal = Refusal("InvalidCapacityReservationId.NotFound")
    done = ask("reservation", reserved(), DescribeCapacityReservations=refusal)
    assert done.status == "fail"
    assert f"this account sees no reservation {ID} in us-east-2" in done.results[0].message


def test_a_future_dated_one_says_when_to_deploy(ask):
    start = datetime(2027, 4, 1, 8, tzinfo=UTC)
    done = ask("reservation", reserved(), **told(State="scheduled", StartDate=start))
    (result,) = done.results
    assert result.remedy == "deploy when it is active, not before 2027-04-01T08:00:00Z"


def test_a_commitment_is_evidence(ask):
    end = datetime(2027, 5, 1, tzinfo=UTC)
    committed = told(CommitmentInfo={"CommittedInstanceCount": 4, "CommitmentEndDate": end})
    (result,) = ask("reservation", reserved(), **committed).results
    assert result.evidence == "it is committed until 2027-05-01T00:00:00Z"


def test_one_that_another_account_shares_is_judged_alike_and_its_owner_not_named(ask):
    shared = told(OwnerId="123456789012")
    (result,) = ask("reservation", reserved(), **shared).results
    assert (result.status, result.message) == (
        "ok",
        f"reservation {ID} is active: 4 trn2.48xlarge in use2-az3, 4 free, shared by another "
        "account",
    )
    assert result.evidence == (
        "its owner may cancel it or stop sharing it; what runs in it counts against the owner's "
        "quota"
    )
    elsewhere = ask(
        "reservation", reserved(), **told(OwnerId="123456789012", AvailabilityZoneId="use2-az1")
    )
    assert "is in use2-az1, and the nodes are in use2-az3" in elsewhere.results[0].message


def test_who_uses_a_shared_one_only_its_owner_can_tell(ask):
    crowded = told(OwnerId="123456789012", AvailableInstanceCount=1)
    (result,) = ask("reservation", reserved(), **crowded).results
    assert (result.status, result.look) == ("fail", None)
    assert result.remedy == "ask its owner who uses it, or lower `count`"
    own = ask("reservation", reserved(), **told(AvailableInstanceCount=1)).results[0]
    assert "describe-instances" in own.look


def test_a_shared_placement_group_is_not_told_and_so_not_found(ask):
    cluster = reserved(placement={"group_name": "ours"})
    shared = ask("reservation", cluster, **told(OwnerId="123456789012"))
    assert "was made in no placement group" in shared.results[0].message
