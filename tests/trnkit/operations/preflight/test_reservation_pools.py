"""The reservations of a resource group compared with the groups that use it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.trnkit.operations.preflight.conftest import make_cluster
from tests.trnkit.operations.preflight.fake_account import (
    DENIED,
    OWN,
    Refusal,
    instance,
    running,
)
from tests.trnkit.operations.preflight.situations.reservation import (
    GROUP_ARN,
    POOL,
    POOLED,
    RESERVATION,
    members,
    reservations,
)

A, B, C = (f"cr-0000000000000000{letter}" for letter in "abc")
DAY = {n: datetime(2027, 3, n, 11, 30, tzinfo=UTC) for n in (1, 4, 8, 15)}


def one(reservation_id, **changes):
    kept = {"CapacityReservationId": reservation_id, "AvailableInstanceCount": 4}
    return RESERVATION | kept | changes


def block(reservation_id, first, last, **changes):
    kept = {
        "ReservationType": "capacity-block",
        "StartDate": DAY[first],
        "EndDate": DAY[last],
        "State": "scheduled",
        "AvailableInstanceCount": 0,
    }
    return one(reservation_id, **(kept | changes))


def pool(*entries):
    return {
        "ListGroupResources": members(*(entry["CapacityReservationId"] for entry in entries)),
        "DescribeCapacityReservations": reservations(*entries),
    }


def blocks(start=1, end=8, **group):
    capacity = {
        "type": "capacity-block",
        "capacity_reservation_resource_group_arn": GROUP_ARN,
        "start": f"2027-03-{start:02}T11:30:00Z",
        "end": f"2027-03-{end:02}T11:30:00Z",
    }
    return {"capacity": capacity} | group


PLACEMENT = "arn:aws:ec2:us-east-2:111122223333:placement-group/ours"
OTHERS = (
    one(B, InstanceType="trn1.32xlarge"),
    one(C, AvailabilityZoneId="use2-az1"),
)


@pytest.mark.parametrize(
    ("groups", "entries", "status", "words"),
    [
        ([POOLED], [one(A)], "ok", "has 4 trn2.48xlarge in 1 reservation for group-0, which asks"),
        ([POOLED], [one(A), *OTHERS], "ok", "has 4 trn2.48xlarge in 1 reservation for group-0"),
        (
            [POOLED],
            [one(A, TotalInstanceCount=2, AvailableInstanceCount=2), one(B)],
            "ok",
            "has 6 trn2.48xlarge in 2 reservations for group-0, which asks for 4",
        ),
        ([POOLED], OTHERS, "fail", "has 2 reservations, and node group group-0 can use none"),
        ([POOLED], [one(A, Interruptible=True)], "fail", "can use none"),
        ([POOLED], [one(A, State="cancelled")], "fail", "can use none"),
        ([POOLED], [block(A, 1, 8)], "fail", "can use none"),
        ([POOLED], [one(A, AvailableInstanceCount=3)], "fail", "has 3 trn2.48xlarge free for"),
        ([POOLED], [one(A, State="scheduled")], "fail", "has 0 trn2.48xlarge free for group-0"),
        ([POOLED], [one(A, State="pending")], "warning", "is pending"),
        (
            [POOLED],
            [one(A, EndDate=datetime(2027, 2, 2, tzinfo=UTC))],
            "warning",
            "ends 2027-02-02T00:00:00Z, within a day",
        ),
        ([POOLED, POOLED], [one(A)], "fail", "for group-0, group-1, which ask for 8"),
        ([POOLED, POOLED], [one(A), one(B)], "ok", "for group-0, group-1, which ask for 8"),
        (
            [POOLED, POOLED | {"instance_type": "trn1.32xlarge"}],
            [one(A), one(B, InstanceType="trn1.32xlarge")],
            "ok",
            "has 4 trn2.48xlarge in 1 reservation for group-0",
        ),
        # One with a placement group of its own finds only what was made in it.
        (
            [POOLED | {"placement": {"group_name": "ours"}}, POOLED],
            [one(A, PlacementGroupArn=PLACEMENT), one(B)],
            "ok",
            "has 8 trn2.48xlarge in 2 reservations",
        ),
        (
            [POOLED | {"placement": {"group_name": "ours"}, "count": 5}, POOLED | {"count": 2}],
            [one(A, PlacementGroupArn=PLACEMENT), one(B)],
            "fail",
            "has 4 trn2.48xlarge free for group-0, which asks for 5",
        ),
        ([blocks()], [block(A, 1, 8)], "ok", "has 4 trn2.48xlarge in 1 Capacity Block for group-0"),
        ([blocks(4, 8)], [block(A, 1, 8)], "ok", "in 1 Capacity Block"),
        ([blocks()], [block(A, 4, 8)], "fail", "have 0 trn2.48xlarge from 2027-03-01T11:30:00Z on"),
        (
            [blocks(1, 15)],
            [block(A, 1, 8)],
            "fail",
            "have 0 trn2.48xlarge from 2027-03-08T11:30:00Z on, and group-0 asks for 4",
        ),
        (
            [blocks(1, 15)],
            [block(A, 1, 8), block(B, 8, 15)],
            "warning",
            "ends 2027-03-08T11:30:00Z, before the group does",
        ),
        ([blocks(1, 4)], [block(A, 1, 8)], "warning", "the last block ends 2027-03-08T11:30:00Z"),
        (
            [blocks(1, 4), blocks(4, 8)],
            [block(A, 1, 8)],
            "warning",
            "capacity.end is 2027-03-04T11:30:00Z, and the last block ends",
        ),
        ([blocks(), blocks()], [block(A, 1, 8)], "fail", "group-0, group-1 ask for 8"),
        ([blocks()], [one(A)], "fail", "can use none"),
        (
            [blocks()],
            [block(A, 1, 8, State="payment-pending")],
            "warning",
            "is payment-pending",
        ),
    ],
)
def test_what_is_in_it_has_to_hold_the_nodes(groups, entries, status, words, ask):
    done = ask("reservation", make_cluster(*groups), **pool(*entries))
    assert done.status == status, done.results
    assert any(words in result.message for result in done.results), done.results


def test_why_none_fits_is_told_of_three_at_most(ask):
    more = [one(f"cr-0000000000000001{n}", Tenancy="dedicated") for n in range(3)]
    (result,) = ask("reservation", make_cluster(POOLED), **pool(*OTHERS, *more)).results
    assert result.evidence == (
        f"{B} is of trn1.32xlarge, and node group group-0 is of trn2.48xlarge; "
        f"{C} is in use2-az1, and the nodes are in use2-az3; "
        "cr-00000000000000010 has tenancy dedicated, and nodes have default"
    )


def test_places_of_the_cluster_s_own_nodes_are_theirs(ask):
    full = pool(one(A, AvailableInstanceCount=0))
    nodes = {"DescribeInstances": running(*[instance(CapacityReservationId=A, Tags=OWN)] * 4)}
    assert ask("reservation", make_cluster(POOLED), **full).status == "fail"
    assert ask("reservation", make_cluster(POOLED), **full, **nodes).status == "ok"


def test_nodes_that_name_a_reservation_of_it_by_id_take_its_places(ask):
    named = {"capacity": {"type": "on-demand-reservation", "capacity_reservation_id": A}}
    cluster = make_cluster(named | {"count": 3}, POOLED | {"count": 2})
    short = ask("reservation", cluster, **pool(one(A)))
    assert "has 1 trn2.48xlarge free for group-1, which asks for 2" in short.results[1].message
    assert ask("reservation", cluster, **pool(one(A), one(B))).status == "ok"


def test_an_ultraserver_in_which_others_run_makes_no_whole_one(ask):
    kind = {"InstanceType": "trn2u.48xlarge", "State": "active"}
    group = blocks(instance_type="trn2u.48xlarge", count=4)
    group["capacity"] |= {"launch": "with-deployment", "start": "2027-01-31T11:30:00Z"}
    kind["StartDate"] = datetime(2027, 1, 31, 11, 30, tzinfo=UTC)
    whole = pool(block(A, 1, 8, AvailableInstanceCount=4, **kind))
    assert ask("reservation", make_cluster(group), **whole).status == "ok"
    halves = [block(n, 1, 8, AvailableInstanceCount=2, **kind) for n in (A, B)]
    done = ask("reservation", make_cluster(group), **pool(*halves))
    assert done.status == "warning"
    assert "asks for 4 nodes, and only 0 are in whole UltraServers" in done.results[0].message
    dead = pool(block(A, 1, 8, AvailableInstanceCount=4, LaunchStatus="unlaunchable", **kind))
    assert ask("reservation", make_cluster(group), **dead).status == "fail"


def test_members_that_the_account_does_not_see_hold_nothing(ask):
    told = pool(one(A)) | {"ListGroupResources": members(A, B)}
    assert ask("reservation", make_cluster(POOLED), **told).status == "ok"
    told = {"ListGroupResources": members(B), "DescribeCapacityReservations": reservations(one(A))}
    done = ask("reservation", make_cluster(POOLED), **told)
    assert (
        "resource group mine has no reservation that this account sees" in done.results[0].message
    )
    assert "group-resources --region us-east-2 --group mine" in (done.results[0].remedy or "")
    assert "--region us-east-2 --query" in (done.results[0].look or "")


@pytest.mark.parametrize(
    "configuration",
    [{}, {"GroupConfiguration": {}}, {"GroupConfiguration": {"Configuration": []}}],
)
def test_a_group_that_is_made_by_a_query_holds_no_launch(configuration, ask):
    done = ask("reservation", make_cluster(POOLED), GetGroupConfiguration=configuration)
    assert done.status == "fail"
    assert "is not configured as AWS::EC2::CapacityReservationPool" in done.results[0].message


def test_a_group_that_is_not_there(ask):
    done = ask(
        "reservation", make_cluster(POOLED), GetGroupConfiguration=Refusal("NotFoundException")
    )
    assert done.status == "fail"
    assert done.results[0].message == "this account has no resource group mine in us-east-2"


@pytest.mark.parametrize("name", ["GetGroupConfiguration", "ListGroupResources"])
def test_a_group_that_may_not_be_read_leaves_the_others_their_answers(name, ask):
    named = {"capacity": {"type": "on-demand-reservation", "capacity_reservation_id": A}}
    forbidden = Refusal("ForbiddenException", status=403)
    for refusal in (DENIED, forbidden):
        done = ask("reservation", make_cluster(POOLED, named), **pool(one(A)) | {name: refusal})
        assert [result.status for result in done.results] == ["ok", "unknown"]
        assert f"call resource-groups:{name}" in done.results[1].remedy
        assert "111122223333" not in str(done.results)


def test_all_pages_of_a_group_are_read(ask):
    def listed(told, region):
        first = members(B) | {"NextToken": "more"}
        return members(A) if told.get("NextToken") else first

    told = pool(one(A), one(B)) | {"ListGroupResources": listed, "GetGroupConfiguration": POOL}
    done = ask("reservation", make_cluster(POOLED | {"count": 8}), **told)
    assert done.status == "ok"
