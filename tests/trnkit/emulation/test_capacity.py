"""Placement groups, reservations, blocks, quotas and zones: what a launch needs to find room."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.trnkit.emulation.launch_ground import TYPE, launch_ground, refusal
from trnkit.emulation.services.ec2.capacity_reservations import (
    seed_capacity_reservation,
    seed_reservation_group,
)
from trnkit.emulation.services.ec2.instance_types import add_instance_types
from trnkit.emulation.services.ec2.vcpu_quotas import code_of, set_vcpu_quota

REGION = "us-east-2"
TRN_ON_DEMAND = "L-2C3B7624"
BLOCK = "cr-0123456789abcdef0"
GROUP = "arn:aws:resource-groups:us-east-2:111122223333:group/ultra"
FULL = "does not have sufficient compatible and available capacity"


@pytest.fixture
def ground():
    with launch_ground() as ground:
        yield ground


def reserve(ground, **changes):
    request = {
        "InstanceType": TYPE,
        "InstancePlatform": "Linux/UNIX",
        "InstanceCount": 2,
        "AvailabilityZoneId": "use2-az3",
        "InstanceMatchCriteria": "targeted",
        **changes,
    }
    answer = ground.ec2.create_capacity_reservation(**request)
    return answer["CapacityReservation"]


def into(reservation_id, **changes):
    target = {"CapacityReservationId": reservation_id}
    return {"CapacityReservationSpecification": {"CapacityReservationTarget": target}, **changes}


def into_block(**changes):
    return into(BLOCK, InstanceMarketOptions={"MarketType": "capacity-block"}, **changes)


def available(ground, reservation_id):
    (row,) = ground.ec2.describe_capacity_reservations(CapacityReservationIds=[reservation_id])[
        "CapacityReservations"
    ]
    return row["AvailableInstanceCount"]


# Placement groups


def test_a_placement_group_is_described_as_it_was_made(ground):
    made = ground.ec2.create_placement_group(
        GroupName="close",
        Strategy="cluster",
        TagSpecifications=[
            {"ResourceType": "placement-group", "Tags": [{"Key": "team", "Value": "a"}]}
        ],
    )["PlacementGroup"]
    (told,) = ground.ec2.describe_placement_groups(
        Filters=[{"Name": "tag:team", "Values": ["a"]}, {"Name": "strategy", "Values": ["cluster"]}]
    )["PlacementGroups"]
    assert told == made
    assert told["State"] == "available"
    assert told["GroupArn"] == "arn:aws:ec2:us-east-2:111122223333:placement-group/close"
    assert told["Tags"] == [{"Key": "team", "Value": "a"}]


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"GroupName": "close", "Strategy": "cluster"}, "InvalidPlacementGroup.Duplicate"),
        ({"GroupName": "x", "Strategy": "near"}, "InvalidParameterValue"),
        (
            {"GroupName": "x", "Strategy": "cluster", "PartitionCount": 2},
            "InvalidParameterCombination",
        ),
        ({"GroupName": "x", "Strategy": "partition", "PartitionCount": 8}, "InvalidParameterValue"),
        (
            {"GroupName": "x", "Strategy": "cluster", "SpreadLevel": "rack"},
            "InvalidParameterCombination",
        ),
    ],
)
def test_a_placement_group_that_makes_no_sense_is_refused(ground, request_, code):
    ground.ec2.create_placement_group(GroupName="close", Strategy="cluster")
    assert refusal(lambda: ground.ec2.create_placement_group(**request_))[0] == code


def test_a_placement_group_goes_only_when_nothing_is_in_it(ground):
    ground.ec2.create_placement_group(GroupName="close", Strategy="cluster")
    (instance,) = ground.run(ground.data(Placement={"GroupName": "close"}))
    assert refusal(lambda: ground.ec2.delete_placement_group(GroupName="close")) == (
        "InvalidPlacementGroup.InUse",
        "The placement group 'close' is in use and may not be deleted.",
    )
    ground.ec2.terminate_instances(InstanceIds=[instance["InstanceId"]])
    ground.ec2.delete_placement_group(GroupName="close")
    gone = refusal(lambda: ground.ec2.describe_placement_groups(GroupNames=["close"]))
    assert gone[0] == "InvalidPlacementGroup.Unknown"


def test_a_cluster_placement_group_stays_in_one_zone(ground):
    ground.ec2.create_placement_group(GroupName="close", Strategy="cluster")
    ground.run(ground.data(Placement={"GroupName": "close"}))
    other = ground.add_subnet("use2-az1")
    moved = [i | {"SubnetId": other} for i in ground.interfaces()]
    data = ground.data(Placement={"GroupName": "close"}, NetworkInterfaces=moved)
    code, message = refusal(lambda: ground.run(data))
    assert code == "InvalidParameterCombination"
    assert "can't span Availability Zones" in message


# Zones and types


def test_a_zone_that_does_not_offer_the_type_is_refused_with_those_that_do(ground):
    other = ground.add_subnet("use2-az1")
    data = {
        "ImageId": ground.data()["ImageId"],
        "InstanceType": "trn1.2xlarge",
        "NetworkInterfaces": [{"DeviceIndex": 0, "SubnetId": other}],
    }
    assert refusal(lambda: ground.run(data)) == (
        "Unsupported",
        "Your requested instance type (trn1.2xlarge) is not supported in your requested "
        "Availability Zone (us-east-2a). Please retry your request by not specifying an "
        "Availability Zone or choosing us-east-2c.",
    )


def test_a_type_that_is_added_can_be_launched_where_it_is_offered(ground, monkeypatch):
    from moto.ec2.models import instance_types as known

    monkeypatch.setattr(
        known.InstanceTypeBackend, "instance_types", known.InstanceTypeBackend.instance_types
    )
    info = {**known.INSTANCE_TYPES[TYPE], "InstanceType": "trn9.48xlarge"}
    rows = {k: [*v[REGION]] for k, v in known.INSTANCE_TYPE_OFFERINGS.items()}
    for location_type, kept in rows.items():
        monkeypatch.setitem(known.INSTANCE_TYPE_OFFERINGS[location_type], REGION, kept)
    monkeypatch.setitem(known.INSTANCE_TYPES, "trn9.48xlarge", {})
    data = ground.data(InstanceType="trn9.48xlarge")
    assert add_instance_types({"InstanceTypes": [info]}) == ["trn9.48xlarge"]
    # Nothing is known of its zones, so none is refused.
    assert len(ground.run(data)) == 1
    add_instance_types({"InstanceTypes": [info]}, {REGION: ["use2-az1"]})
    assert refusal(lambda: ground.run(data))[0] == "Unsupported"
    (told,) = ground.ec2.describe_instance_types(InstanceTypes=["trn9.48xlarge"])["InstanceTypes"]
    assert told["NetworkInfo"]["MaximumNetworkCards"] == 16


# Reservations


def test_a_reservation_is_described_as_it_was_made(ground):
    end = datetime(2099, 3, 31, 18, tzinfo=UTC)
    made = reserve(ground, EndDate=end, EndDateType="limited")
    (told,) = ground.ec2.describe_capacity_reservations(
        Filters=[{"Name": "instance-type", "Values": [TYPE]}]
    )["CapacityReservations"]
    assert told == made
    assert (told["State"], told["EndDate"], told["AvailabilityZone"]) == (
        "active",
        end,
        "us-east-2c",
    )


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"EndDateType": "limited"}, "InvalidParameterCombination"),
        (
            {"EndDateType": "unlimited", "EndDate": datetime(2099, 1, 1, tzinfo=UTC)},
            "InvalidParameterCombination",
        ),
        ({"InstanceType": "trn9.large"}, "InvalidParameterValue"),
        ({"InstanceType": "trn1.32xlarge", "AvailabilityZoneId": "use2-az1"}, "Unsupported"),
        ({"AvailabilityZoneId": "use1-az1"}, "InvalidParameterValue"),
        ({"InstanceMatchCriteria": "any"}, "InvalidParameterValue"),
        ({"InstanceCount": -1}, "InvalidParameterValue"),
        (
            {"PlacementGroupArn": "arn:aws:ec2:us-east-2:111122223333:placement-group/far"},
            "InvalidPlacementGroup.Unknown",
        ),
    ],
)
def test_a_reservation_that_can_not_be_is_refused(ground, changes, code):
    assert refusal(lambda: reserve(ground, **changes))[0] == code


def test_instances_use_up_a_reservation_and_give_it_back(ground):
    made = reserve(ground)["CapacityReservationId"]
    first, _ = ground.run(ground.data(**into(made)), count=2)
    assert first["CapacityReservationId"] == made
    assert first["CapacityReservationSpecification"]["CapacityReservationTarget"] == {
        "CapacityReservationId": made
    }
    assert available(ground, made) == 0
    code, message = refusal(lambda: ground.run(ground.data(**into(made))))
    assert code == "ReservationCapacityExceeded"
    assert FULL in message
    ground.ec2.terminate_instances(InstanceIds=[first["InstanceId"]])
    assert available(ground, made) == 1


def test_as_many_as_fit_are_launched_when_fewer_are_enough(ground):
    made = reserve(ground)["CapacityReservationId"]
    template = {"LaunchTemplateId": ground.template(ground.data(**into(made)))}
    answer = ground.ec2.run_instances(LaunchTemplate=template, MinCount=1, MaxCount=5)
    assert len(answer["Instances"]) == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"InstanceType": "trn1.32xlarge"},
        {"AvailabilityZoneId": "use2-az1"},
        {"InstancePlatform": "Windows"},
        {"Tenancy": "dedicated"},
    ],
)
def test_a_reservation_of_something_else_does_not_fit(ground, changes):
    made = reserve(ground, **changes)["CapacityReservationId"]
    code, message = refusal(lambda: ground.run(ground.data(**into(made))))
    assert (code, FULL in message) == ("ReservationCapacityExceeded", True)


def test_a_cancelled_reservation_takes_nothing(ground):
    made = reserve(ground)["CapacityReservationId"]
    ground.ec2.cancel_capacity_reservation(CapacityReservationId=made)
    code, _ = refusal(lambda: ground.run(ground.data(**into(made))))
    assert code == "ReservationCapacityExceeded"


def test_an_unknown_reservation_is_refused(ground):
    assert refusal(lambda: ground.run(ground.data(**into("cr-0fedcba9876543210")))) == (
        "InvalidCapacityReservationId.NotFound",
        "The capacity reservation ID 'cr-0fedcba9876543210' does not exist",
    )


def test_an_open_reservation_is_used_without_being_named(ground):
    made = reserve(ground, InstanceMatchCriteria="open")["CapacityReservationId"]
    names = [i.get("CapacityReservationId") for i in ground.run(ground.data(), count=3)]
    assert names == [made, made, None]


def test_reservations_only_means_only(ground):
    only = {"CapacityReservationPreference": "capacity-reservations-only"}
    data = ground.data(CapacityReservationSpecification=only)
    assert refusal(lambda: ground.run(data))[0] == "ReservationCapacityExceeded"
    reserve(ground, InstanceMatchCriteria="open")
    assert len(ground.run(data)) == 1


def test_a_reservation_in_a_placement_group_is_for_that_group(ground):
    group = ground.ec2.create_placement_group(GroupName="close", Strategy="cluster")
    made = reserve(ground, PlacementGroupArn=group["PlacementGroup"]["GroupArn"])
    data = ground.data(**into(made["CapacityReservationId"]))
    assert refusal(lambda: ground.run(data))[0] == "ReservationCapacityExceeded"
    (instance,) = ground.run(data | {"Placement": {"GroupName": "close"}})
    assert instance["CapacityReservationId"] == made["CapacityReservationId"]


def test_a_reservation_changes_and_ends(ground):
    made = reserve(ground)["CapacityReservationId"]
    ground.ec2.modify_capacity_reservation(
        CapacityReservationId=made,
        InstanceCount=4,
        EndDateType="limited",
        EndDate=datetime.now(UTC) - timedelta(minutes=1),
    )
    (row,) = ground.ec2.describe_capacity_reservations()["CapacityReservations"]
    assert (row["TotalInstanceCount"], row["State"]) == (4, "expired")


# Capacity Blocks


def test_a_block_is_launched_into_by_market_and_target(ground):
    seed_capacity_reservation(BLOCK, REGION, TYPE, 2, "use2-az3", capacity_block=True)
    (instance,) = ground.run(ground.data(**into_block()))
    assert instance["InstanceLifecycle"] == "capacity-block"
    assert instance["CapacityReservationId"] == BLOCK
    (block,) = ground.ec2.describe_capacity_blocks()["CapacityBlocks"]
    assert (block["CapacityReservationIds"], block["State"]) == ([BLOCK], "active")


def test_a_block_that_has_not_begun_is_refused(ground):
    seed_capacity_reservation(
        BLOCK, REGION, TYPE, 2, "use2-az3", capacity_block=True, state="scheduled"
    )
    assert refusal(lambda: ground.run(ground.data(**into_block()))) == (
        "InvalidCapacityReservationState.PendingActivation",
        f"Your Capacity Block reservation {BLOCK} is not active yet.",
    )


@pytest.mark.parametrize("is_block", [True, False])
def test_market_and_kind_of_reservation_go_together(ground, is_block):
    seed_capacity_reservation(BLOCK, REGION, TYPE, 2, "use2-az3", capacity_block=is_block)
    wrong = into(BLOCK) if is_block else into_block()
    assert refusal(lambda: ground.run(ground.data(**wrong))) == (
        "InvalidParameterValue",
        "The market type (purchasing) option is not valid.",
    )


def test_a_block_can_be_named_by_its_resource_group(ground):
    target = {"CapacityReservationResourceGroupArn": GROUP}
    data = ground.data(
        InstanceMarketOptions={"MarketType": "capacity-block"},
        CapacityReservationSpecification={"CapacityReservationTarget": target},
    )
    code, message = refusal(lambda: ground.run(data))
    assert (code, GROUP in message) == ("InvalidParameterValue", True)
    for reservation_id in (BLOCK, "cr-0fedcba9876543210"):
        seed_capacity_reservation(reservation_id, REGION, TYPE, 1, "use2-az3", capacity_block=True)
    seed_reservation_group(GROUP, [BLOCK, "cr-0fedcba9876543210"], REGION)
    names = {i["CapacityReservationId"] for i in ground.run(data, count=2)}
    assert names == {BLOCK, "cr-0fedcba9876543210"}
    assert refusal(lambda: ground.run(data))[0] == "ReservationCapacityExceeded"


def test_a_block_is_its_own_proof_that_the_zone_has_the_type(ground):
    # No zone of the region offers trn2u by DescribeInstanceTypeOfferings.
    data = ground.data(InstanceType="trn2u.48xlarge")
    assert refusal(lambda: ground.run(data))[0] == "Unsupported"
    seed_capacity_reservation(BLOCK, REGION, "trn2u.48xlarge", 1, "use2-az3", capacity_block=True)
    assert len(ground.run(data | into_block())) == 1


# Quotas


def test_nothing_is_limited_until_a_quota_is_set(ground):
    assert len(ground.run(ground.data(), count=3)) == 3


def test_a_quota_counts_vcpus_of_running_instances(ground):
    set_vcpu_quota(TRN_ON_DEMAND, 2 * 192, REGION)
    first, _ = ground.run(ground.data(), count=2)
    code, message = refusal(lambda: ground.run(ground.data()))
    assert code == "VcpuLimitExceeded"
    assert "your current vCPU limit of 384 allows" in message
    ground.ec2.terminate_instances(InstanceIds=[first["InstanceId"]])
    assert len(ground.run(ground.data())) == 1


def test_reservations_count_for_the_quota_and_blocks_do_not(ground):
    set_vcpu_quota(TRN_ON_DEMAND, 2 * 192, REGION)
    made = reserve(ground)["CapacityReservationId"]
    assert refusal(lambda: ground.run(ground.data()))[0] == "VcpuLimitExceeded"
    assert refusal(lambda: reserve(ground))[0] == "VcpuLimitExceeded"
    assert len(ground.run(ground.data(**into(made)), count=2)) == 2
    seed_capacity_reservation(BLOCK, REGION, TYPE, 1, "use2-az3", capacity_block=True)
    assert len(ground.run(ground.data(**into_block()))) == 1


def test_spot_has_a_quota_of_its_own(ground):
    set_vcpu_quota("L-6B0D517C", 0, REGION)
    data = ground.data(InstanceMarketOptions={"MarketType": "spot"})
    assert refusal(lambda: ground.run(data))[0] == "MaxSpotInstanceCountExceeded"
    assert len(ground.run(ground.data())) == 1


@pytest.mark.parametrize(
    ("type_name", "code"),
    [
        ("trn1n.32xlarge", TRN_ON_DEMAND),
        ("trn2u.48xlarge", TRN_ON_DEMAND),
        ("inf2.48xlarge", "L-1945791B"),
        ("p5.48xlarge", "L-417A185B"),
        ("m7i.large", "L-1216C47A"),
        ("mac2.metal", None),
    ],
)
def test_a_type_counts_for_the_quota_of_its_family(type_name, code):
    assert code_of(type_name, spot=False) == code
