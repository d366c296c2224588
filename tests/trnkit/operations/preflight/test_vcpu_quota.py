"""The arithmetic of the vCPU quotas: to the vCPU, by market, with what runs and is reserved."""

from __future__ import annotations

import pytest

from tests.trnkit.operations.preflight.conftest import make_cluster
from tests.trnkit.operations.preflight.fake_account import OWN, Refusal, instance, quota, running
from trnkit.catalog import service_quotas
from trnkit.operations.preflight.checks import vcpu_quota

FOUR = 4 * 192  # trn2.48xlarge
SPOT = {"capacity": {"type": "spot"}}
BLOCK = {
    "capacity": {
        "type": "capacity-block",
        "capacity_reservation_id": "cr-0123456789abcdef0",
        "start": "2027-03-01T11:30:00Z",
        "end": "2027-03-08T11:30:00Z",
    }
}
RESERVED = {
    "capacity": {
        "type": "on-demand-reservation",
        "capacity_reservation_id": "cr-0123456789abcdef0",
    }
}
CREATED = {"capacity": {"type": "on-demand-reservation", "create": {"unlimited": True}}}


def reservation(**changes):
    return {
        "CapacityReservationId": "cr-0123456789abcdef0",
        "OwnerId": "111122223333",
        "InstanceType": "trn2.48xlarge",
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZoneId": "use2-az3",
        "Tenancy": "default",
        "TotalInstanceCount": 2,
        "AvailableInstanceCount": 2,
        "State": "active",
        "InstanceMatchCriteria": "targeted",
    } | changes


def reservations(*entries):
    return {"DescribeCapacityReservations": {"CapacityReservations": list(entries)}}


def by_code(**values):
    """Quotas by code; one that is not named is an error of the test."""

    def answer(told, region):
        return quota(values[told["QuotaCode"].replace("-", "_")])

    return {"GetServiceQuota": answer}


@pytest.mark.parametrize(
    ("limit", "status", "words"),
    [
        (FOUR + 1, "ok", f"{FOUR} of {FOUR + 1}"),
        (FOUR, "ok", f"{FOUR} of {FOUR}"),
        (FOUR - 1, "fail", f"has {FOUR - 1} left: 1 too few"),
        (0, "fail", f"has 0 left: {FOUR} too few"),
    ],
)
def test_exactly_met_and_one_vcpu_short(limit, status, words, ask):
    done = ask("vcpu-quota", GetServiceQuota=quota(float(limit)))
    assert done.status == status
    assert words in done.results[0].message


def test_the_command_asks_for_what_is_needed_in_all(ask):
    done = ask("vcpu-quota", GetServiceQuota=quota(100.0), DescribeInstances=running(instance()))
    (result,) = done.results
    assert result.command == (
        "aws service-quotas request-service-quota-increase --region us-east-2 --service-code ec2 "
        f"--quota-code L-2C3B7624 --desired-value {FOUR + 192}"
    )
    assert "192 running beside this cluster" in result.evidence
    assert result.path == ("compute", "node_groups", 0, "count")


def test_more_runs_than_the_quota_allows_already(ask):
    done = ask("vcpu-quota", GetServiceQuota=quota(100.0), DescribeInstances=running(instance()))
    assert f"of the quota's 100 already 192 are used: {FOUR + 192 - 100} too few" in (
        done.results[0].message
    )


@pytest.mark.parametrize(
    ("runs", "needed"),
    [
        (instance(), FOUR + 192),
        (instance(InstanceType="trn1.2xlarge"), FOUR + 8),
        (instance(Tags=OWN), FOUR),
        (instance(Tags=[{"Key": "trnkit-cluster", "Value": "other"}]), FOUR + 192),
        (instance(InstanceLifecycle="spot"), FOUR),
        (instance(InstanceLifecycle="capacity-block"), FOUR),
        (instance(InstanceType="inf2.48xlarge"), FOUR),
    ],
)
def test_what_runs_counts_by_market_and_family_and_not_twice(runs, needed, ask):
    told = {"DescribeInstances": running(runs)}
    assert ask("vcpu-quota", GetServiceQuota=quota(float(needed)), **told).status == "ok"
    assert ask("vcpu-quota", GetServiceQuota=quota(needed - 1.0), **told).status == "fail"


def test_only_instances_that_run_are_asked_for_whatever_their_type(ask):
    seen = []

    def instances(told, region):
        seen.append(told["Filters"])
        return running()

    ask("vcpu-quota", DescribeInstances=instances)
    assert seen == [[{"Name": "instance-state-name", "Values": ["pending", "running"]}]]


def test_on_demand_and_spot_are_two_quotas(ask):
    cluster = make_cluster({"count": 1}, SPOT | {"count": 3})
    done = ask("vcpu-quota", cluster, **by_code(L_2C3B7624=192.0, L_6B0D517C=575.0))
    assert [result.status for result in done.results] == ["ok", "fail"]
    assert "asks for 576 spot vCPUs, and the quota has 575 left: 1 too few" in (
        done.results[1].message
    )


def test_open_spot_requests_count_and_on_demand_instances_do_not(ask):
    waiting = {"SpotInstanceRequests": [{"LaunchSpecification": {"InstanceType": "trn1.2xlarge"}}]}
    told = {
        "DescribeSpotInstanceRequests": waiting,
        "DescribeInstances": running(instance(), instance(InstanceLifecycle="spot")),
    }
    cluster = make_cluster(SPOT | {"count": 1})
    needed = 192 + 192 + 8
    assert ask("vcpu-quota", cluster, **told, **by_code(L_6B0D517C=needed)).status == "ok"
    assert ask("vcpu-quota", cluster, **told, **by_code(L_6B0D517C=needed - 1)).status == "fail"


def test_groups_of_one_family_add_up_and_other_families_have_their_own_quota(ask):
    cluster = make_cluster(
        {"count": 1},
        {"count": 1, "instance_type": "trn1.32xlarge"},
        {"count": 1, "instance_type": "inf2.48xlarge"},
    )
    done = ask("vcpu-quota", cluster, **by_code(L_2C3B7624=320.0, L_1945791B=191.0))
    assert [result.status for result in done.results] == ["ok", "fail"]
    assert "group-0, group-1 ask for 320" in done.results[0].message


@pytest.mark.parametrize("group", [BLOCK, RESERVED, {"count": 0}])
def test_capacity_blocks_reservations_and_empty_groups_need_no_quota(group, ask):
    done = ask("vcpu-quota", make_cluster(group), GetServiceQuota=quota(0.0))
    assert [result.message for result in done.results] == [
        "no node group counts against a vCPU quota"
    ]
    assert ask.sessions[0].asked == []


def test_a_reservation_that_the_cluster_makes_needs_quota(ask):
    cluster = make_cluster(CREATED)
    assert ask("vcpu-quota", cluster, GetServiceQuota=quota(FOUR - 1.0)).status == "fail"
    assert ask("vcpu-quota", cluster, GetServiceQuota=quota(float(FOUR))).status == "ok"


@pytest.mark.parametrize(
    ("entry", "needed"),
    [
        (reservation(), FOUR + 384),
        (reservation(AvailableInstanceCount=0), FOUR + 384),
        (reservation(Tags=OWN), FOUR),
        (reservation(OwnerId="123456789012"), FOUR),
        (reservation(ReservationType="capacity-block"), FOUR),
        (reservation(InstanceType="inf2.48xlarge"), FOUR),
        # Nodes of the file find a place in it, and it counts already.
        (reservation(InstanceMatchCriteria="open"), FOUR),
        (reservation(InstanceMatchCriteria="open", AvailableInstanceCount=1), FOUR + 192),
        (reservation(InstanceMatchCriteria="open", AvailabilityZoneId="use2-az1"), FOUR + 384),
        (reservation(InstanceMatchCriteria="open", InstanceType="trn1.2xlarge"), FOUR + 16),
        (reservation(InstanceMatchCriteria="open", Tenancy="dedicated"), FOUR + 384),
    ],
)
def test_reservations_of_the_account_count_used_or_not(entry, needed, ask):
    told = reservations(entry)
    assert ask("vcpu-quota", GetServiceQuota=quota(float(needed)), **told).status == "ok"
    assert ask("vcpu-quota", GetServiceQuota=quota(needed - 1.0), **told).status == "fail"


def test_an_instance_in_a_reservation_counts_with_it_and_not_twice(ask):
    told = reservations(reservation()) | {
        "DescribeInstances": running(instance(CapacityReservationId="cr-0123456789abcdef0"))
    }
    assert ask("vcpu-quota", GetServiceQuota=quota(FOUR + 384.0), **told).status == "ok"


def test_own_nodes_that_run_in_an_open_reservation_keep_their_places(ask):
    node = instance(CapacityReservationId="cr-0123456789abcdef0", Tags=OWN)
    entry = reservation(
        InstanceMatchCriteria="open", TotalInstanceCount=4, AvailableInstanceCount=0
    )
    told = reservations(entry) | {"DescribeInstances": running(*[node] * 4)}
    assert ask("vcpu-quota", GetServiceQuota=quota(float(FOUR)), **told).status == "ok"


OTHERS = {"OwnerId": "123456789012", "InstanceMatchCriteria": "open"}


@pytest.mark.parametrize(
    ("changes", "needed"),
    [
        # It counts against its owner's quota, and so does what runs in it.
        ({}, FOUR - 384),
        ({"InstanceMatchCriteria": "targeted"}, FOUR),
        ({"AvailabilityZoneId": "use2-az1"}, FOUR),
        ({"Interruptible": True}, FOUR),
        ({"ReservationType": "capacity-block"}, FOUR),
        ({"State": "pending"}, FOUR),
    ],
)
def test_room_in_an_open_reservation_that_another_account_shares(changes, needed, ask):
    told = reservations(reservation(**OTHERS | changes))
    enough = ask("vcpu-quota", GetServiceQuota=quota(float(needed)), **told)
    short = ask("vcpu-quota", GetServiceQuota=quota(needed - 1.0), **told)
    assert (enough.status, short.status) == ("ok", "fail")


IN_OURS = {
    "InstanceMatchCriteria": "open",
    "PlacementGroupArn": "arn:aws:ec2:us-east-2:111122223333:placement-group/ours",
}


@pytest.mark.parametrize(
    ("groups", "needed"),
    [
        ([{"placement": {"group_name": "ours"}}], FOUR),
        ([{"placement": {"group_name": IN_OURS["PlacementGroupArn"]}}], FOUR),
        ([{"placement": {"group_name": "theirs"}}], FOUR + 384),
        ([{}], FOUR + 384),
        # Three nodes and two places: nobody has a place twice.
        ([{"placement": {"group_name": "ours"}, "count": 1}] * 3, 3 * 192),
    ],
)
def test_an_open_reservation_made_in_a_placement_group_is_for_its_nodes(groups, needed, ask):
    told = reservations(reservation(**IN_OURS))
    cluster = make_cluster(*groups)
    enough = ask("vcpu-quota", cluster, GetServiceQuota=quota(float(needed)), **told)
    short = ask("vcpu-quota", cluster, GetServiceQuota=quota(needed - 1.0), **told)
    assert (enough.status, short.status) == ("ok", "fail")


def test_what_finds_room_in_reservations_is_said(ask):
    told = reservations(reservation(InstanceMatchCriteria="open"))
    (result,) = ask("vcpu-quota", GetServiceQuota=quota(FOUR - 1.0), **told).results
    assert result.message == (
        f"group-0 asks for {FOUR} on-demand vCPUs, 384 of which have room in open reservations, "
        "and the quota has 383 left: 1 too few"
    )


def test_nodes_that_all_find_room_in_reservations_need_no_quota_however_small_it_is(ask):
    entry = reservation(
        InstanceMatchCriteria="open", TotalInstanceCount=4, AvailableInstanceCount=4
    )
    done = ask("vcpu-quota", GetServiceQuota=quota(0.0), **reservations(entry))
    assert [(result.status, result.message) for result in done.results] == [
        (
            "ok",
            f"group-0 asks for {FOUR} on-demand vCPUs, and open reservations have room for all "
            "of them",
        )
    ]


def test_nodes_that_shun_open_reservations_need_quota_beside_them(ask):
    cluster = make_cluster({"capacity": {"capacity_reservation_preference": "none"}})
    told = reservations(reservation(InstanceMatchCriteria="open"))
    assert ask("vcpu-quota", cluster, GetServiceQuota=quota(FOUR + 383.0), **told).status == "fail"


def test_instances_in_other_accounts_reservations_count_against_the_owners_quota(ask):
    told = {"DescribeInstances": running(instance(CapacityReservationId="cr-00000000000000001"))}
    enough = ask("vcpu-quota", GetServiceQuota=quota(float(FOUR)), **told)
    short = ask("vcpu-quota", GetServiceQuota=quota(FOUR - 1.0), **told)
    assert (enough.status, short.status) == ("ok", "fail")
    assert short.results[0].command.endswith(f"--desired-value {FOUR}")


def test_an_account_without_a_value_of_its_own_has_aws_s_default(ask):
    done = ask("vcpu-quota", GetServiceQuota=Refusal("NoSuchResourceException"))
    assert done.status == "fail"
    assert "0 vCPUs, AWS's default" in done.results[0].evidence


def test_a_quota_whose_value_aws_cannot_tell_is_unknown(ask):
    reason = {"ErrorCode": "SERVICE_QUOTA_NOT_AVAILABLE_ERROR", "ErrorMessage": "not available"}
    done = ask("vcpu-quota", GetServiceQuota={"Quota": {"ErrorReason": reason}})
    assert done.status == "unknown"
    assert "(L-2C3B7624) in us-east-2" in done.results[0].message
    assert done.results[0].look == (
        "aws service-quotas get-service-quota --region us-east-2 --service-code ec2 --quota-code "
        "L-2C3B7624"
    )


def test_a_family_without_a_quota_in_the_catalogue_is_unknown(ask):
    cluster = make_cluster({"instance_type": "g5.xlarge", "count": 1})
    done = ask("vcpu-quota", cluster)
    assert done.status == "unknown"
    assert "knows no on-demand quota for g5.xlarge" in done.results[0].message
    assert done.results[0].look == (
        "aws service-quotas list-service-quotas --service-code ec2 --region us-east-2 --query "
        "\"Quotas[?contains(QuotaName, 'Running On-Demand')].[QuotaCode,QuotaName,Value]\" "
        "--output text"
    )


@pytest.mark.parametrize("purchase", ["on-demand", "spot"])
def test_the_names_of_quotas_have_the_words_by_which_they_are_listed(purchase):
    names = [each.name for each in service_quotas() if each.purchase == purchase]
    assert names
    assert all(vcpu_quota._QUOTA_NAMES[purchase] in name for name in names)


def test_a_type_that_nobody_knows_is_unknown(ask):
    done = ask("vcpu-quota", make_cluster({"instance_type": "trn9.48xlarge", "count": 1}))
    assert done.status == "unknown"
    assert "how many vCPUs trn9.48xlarge has" in done.results[0].message


def test_a_running_type_that_nobody_knows_makes_an_ok_unknown_and_no_failure_less(ask):
    told = {"DescribeInstances": running(instance(InstanceType="trn9.48xlarge"))}
    assert ask("vcpu-quota", **told).status == "unknown"
    assert ask("vcpu-quota", GetServiceQuota=quota(1.0), **told).status == "fail"
