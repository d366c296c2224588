"""Room in vCPU quotas: what counts, and what is not known."""

from __future__ import annotations

import pytest

from tests.trnkit.operations.planning.market_answers import KIND, NOW, VCPUS, answers, request
from tests.trnkit.operations.preflight.fake_account import (
    ACCOUNT,
    DENIED,
    OWN,
    FakeAccount,
    Refusal,
    instance,
    running,
)
from trnkit.operations.planning.asking import ask_markets

OTHER = "123456789012"


def market(needs=((KIND, 4),), **changes):
    session = FakeAccount(answers() | changes)
    (found,) = ask_markets(request(needs=needs), session, most_seconds=60, now=NOW)
    return found.types[0]


def quota(value):
    return {"Quota": {"QuotaName": "a quota", "Value": value}}


def reservation(**changes):
    return {
        "CapacityReservationId": "cr-0123456789abcdef0",
        "OwnerId": ACCOUNT,
        "InstanceType": KIND,
        "TotalInstanceCount": 2,
        "AvailableInstanceCount": 2,
        "State": "active",
    } | changes


def reserved(*reservations):
    return {"CapacityReservations": list(reservations)}


def spot_request(kind=KIND):
    return {"State": "open", "LaunchSpecification": {"InstanceType": kind}}


ON_DEMAND = [
    pytest.param({}, VCPUS, id="what runs"),
    pytest.param({"DescribeInstances": running()}, 0, id="nothing"),
    pytest.param(
        {"DescribeInstances": running(instance(InstanceType=KIND, InstanceLifecycle="spot"))},
        0,
        id="Spot instances count elsewhere",
    ),
    pytest.param(
        {"DescribeInstances": running(instance(InstanceType="m7i.large"))}, 0, id="other families"
    ),
    pytest.param(
        {"DescribeCapacityReservations": reserved(reservation())}, 3 * VCPUS, id="a reservation"
    ),
    pytest.param(
        {"DescribeCapacityReservations": reserved(reservation(ReservationType="capacity-block"))},
        VCPUS,
        id="a Capacity Block does not count",
    ),
    pytest.param(
        {"DescribeCapacityReservations": reserved(reservation(OwnerId=OTHER))},
        VCPUS,
        id="another account's does not count",
    ),
    pytest.param(
        {
            "DescribeInstances": running(
                instance(InstanceType=KIND, CapacityReservationId="cr-0123456789abcdef0")
            ),
            "DescribeCapacityReservations": reserved(reservation()),
        },
        2 * VCPUS,
        id="an instance in a reservation does not count twice",
    ),
]


@pytest.mark.parametrize(("told", "used"), ON_DEMAND)
def test_what_takes_the_on_demand_quota(told, used):
    assert market(**told).on_demand_quota.used == used


@pytest.mark.parametrize(
    ("cluster", "own"),
    [("pretrain", 3 * VCPUS), ("another", 0), (None, 0)],
)
def test_the_clusters_own_nodes_and_reservations_are_told_apart(cluster, own):
    told = {
        "DescribeInstances": running(
            instance(InstanceType=KIND, Tags=OWN),
            instance(InstanceType=KIND, Tags=OWN, CapacityReservationId="cr-0123456789abcdef0"),
            instance(InstanceType=KIND),
            instance(InstanceType=KIND, Tags=OWN, InstanceLifecycle="spot"),
        ),
        "DescribeCapacityReservations": reserved(
            reservation(Tags=OWN),
            reservation(CapacityReservationId="cr-0123456789abcdef1", TotalInstanceCount=1),
        ),
    }
    session = FakeAccount(answers() | told)
    wanted = request(cluster=cluster)
    (found,) = ask_markets(wanted, session, most_seconds=60, now=NOW)
    (kind,) = found.types
    assert (kind.on_demand_quota.used, kind.on_demand_quota.own) == (5 * VCPUS, own)
    assert (kind.spot_quota.used, kind.spot_quota.own) == (VCPUS, VCPUS if own else 0)


def test_what_takes_the_spot_quota():
    told = {
        "DescribeInstances": running(
            instance(InstanceType="trn1.2xlarge", InstanceLifecycle="spot"),
            instance(InstanceType=KIND),
        ),
        "DescribeSpotInstanceRequests": {
            "SpotInstanceRequests": [spot_request(), spot_request("m7i.large")]
        },
    }
    assert market(**told).spot_quota.used == 8 + VCPUS


@pytest.mark.parametrize(("limit", "room"), [(5 * VCPUS, True), (5 * VCPUS - 1, False)])
def test_a_quota_that_is_exactly_met_has_room_and_one_vcpu_less_has_none(limit, room):
    assert market(GetServiceQuota=quota(float(limit))).on_demand_quota.has_room is room


def test_all_needs_of_a_family_count_together_and_those_of_another_do_not():
    needs = [(KIND, 1), ("trn1.2xlarge", 2), ("inf2.xlarge", 3)]

    def answer(told, region):
        return quota({"L-2C3B7624": 512.0, "L-1945791B": 64.0}.get(told["QuotaCode"], 8.0))

    session = FakeAccount(answers() | {"GetServiceQuota": answer})
    (found,) = ask_markets(request(needs=needs), session, most_seconds=60, now=NOW)
    rooms = [told.on_demand_quota for told in found.types]
    assert [(room.quota_code, room.limit, room.needed) for room in rooms] == [
        ("L-2C3B7624", 512.0, VCPUS + 16),
        ("L-2C3B7624", 512.0, VCPUS + 16),
        ("L-1945791B", 64.0, 12),
    ]


def test_what_a_region_does_not_offer_counts_against_nothing_there():
    def answer(told, region):
        entry = {"LocationType": told["LocationType"], "Location": "use2-az3"}
        return {"InstanceTypeOfferings": [entry | {"InstanceType": "trn1.2xlarge"}]}

    session = FakeAccount(answers() | {"DescribeInstanceTypeOfferings": answer})
    wanted = request(needs=[(KIND, 4), ("trn1.2xlarge", 1)])
    (found,) = ask_markets(wanted, session, most_seconds=60, now=NOW)
    assert [told.on_demand_quota and told.on_demand_quota.needed for told in found.types] == [
        None,
        8,
    ]


def test_the_default_counts_where_the_account_has_no_value_of_its_own():
    told = {
        "GetServiceQuota": Refusal("NoSuchResourceException"),
        "GetAWSDefaultServiceQuota": {"Quota": {"Value": 8.0}},
    }
    room = market(**told).on_demand_quota
    assert (room.limit, room.name) == (8.0, "Running On-Demand Trn instances")


def test_a_quota_without_a_value_is_no_answer():
    room = market(GetServiceQuota={"Quota": {"QuotaName": "a quota"}}).on_demand_quota
    assert room.kind == "unusable"
    assert "service-quotas GetServiceQuota in us-east-2 for L-2C3B7624" in str(room)
    assert "the quota has no value" in str(room)


def test_reservations_of_nobody_knows_whom_are_no_answer():
    told = {"GetCallerIdentity": DENIED}
    assert market(**told).on_demand_quota.used == VCPUS
    told["DescribeCapacityReservations"] = reserved(reservation())
    found = market(**told)
    assert (found.on_demand_quota.kind, found.on_demand_quota.operation) == (
        "denied",
        "GetCallerIdentity",
    )
    assert found.spot_quota.used == 0


def described(*entries):
    """Types as the Region describes them, of those that are asked for."""

    def answer(told, region):
        (wanted,) = (f["Values"] for f in told["Filters"] if f["Name"] == "instance-type")
        found = [
            {"InstanceType": name, "VCpuInfo": {"DefaultVCpus": vcpus}}
            for name, vcpus in entries
            if name in wanted
        ]
        return {"InstanceTypes": found}

    return answer


NEW = "trn9.48xlarge"


@pytest.mark.parametrize(
    ("told", "needed"),
    [
        ({"DescribeInstanceTypes": described((NEW, 384))}, 768),
        ({"DescribeInstanceTypes": described()}, None),
    ],
    ids=["described", "nobody knows it"],
)
def test_a_type_that_the_catalogue_lacks_is_asked_for(told, needed):
    room = market([(NEW, 2)], **told).on_demand_quota
    assert (room.needed, room.used) == (needed, VCPUS)
    assert room.has_room is (None if needed is None else True)


def test_what_runs_of_a_type_that_nobody_knows_leaves_the_room_unknown():
    told = running(instance(InstanceType=NEW))
    assert market(DescribeInstances=told).on_demand_quota.has_room is None
    known = market(DescribeInstances=told, DescribeInstanceTypes=described((NEW, 600)))
    assert (known.on_demand_quota.used, known.on_demand_quota.has_room) == (600, False)


def test_types_that_may_not_be_described_are_no_answer():
    assert market([(NEW, 2)], DescribeInstanceTypes=DENIED).on_demand_quota.kind == "denied"
    assert market(DescribeInstanceTypes=DENIED).on_demand_quota.has_room is True


def test_a_family_without_a_known_quota_has_no_room_and_asks_nothing():
    session = FakeAccount(answers())
    wanted = request(needs=[("g6.xlarge", 1)])
    (found,) = ask_markets(wanted, session, most_seconds=60, now=NOW)
    assert (found.types[0].on_demand_quota, found.types[0].spot_quota) == (None, None)
    asked = {name for _, name, _ in session.asked}
    assert asked.isdisjoint({"GetServiceQuota", "DescribeInstances"})
