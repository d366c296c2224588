"""Auto Scaling groups launch as their template says, and tell why they could not."""

from __future__ import annotations

import json

import pytest

from tests.trnkit.emulation.launch_ground import TYPE, launch_ground, refusal
from trnkit.emulation.services.auto_scaling.auto_scaling_launches import retry_launches
from trnkit.emulation.services.ec2.capacity_reservations import seed_capacity_reservation
from trnkit.emulation.services.ec2.vcpu_quotas import set_vcpu_quota

REGION = "us-east-2"
BLOCK = "cr-0123456789abcdef0"
QUOTA = "L-2C3B7624"


@pytest.fixture
def ground():
    with launch_ground() as ground:
        yield ground


def group(ground, name="nodes"):
    (told,) = ground.scaling.describe_auto_scaling_groups(AutoScalingGroupNames=[name])[
        "AutoScalingGroups"
    ]
    return told


def test_its_instances_have_the_interfaces_of_the_template_in_its_subnet(ground):
    ground.group_of(ground.data(subnet=False), size=2)
    assert len(group(ground)["Instances"]) == 2
    for instance in ground.running():
        places = [
            (
                i["Attachment"]["NetworkCardIndex"],
                i["Attachment"]["DeviceIndex"],
                i["InterfaceType"],
            )
            for i in instance["NetworkInterfaces"]
        ]
        assert places[:2] == [(0, 0, "interface"), (0, 1, "efa-only")]
        assert places[2:] == [(card, 0, "efa-only") for card in range(1, 16)]
        assert {i["SubnetId"] for i in instance["NetworkInterfaces"]} == {ground.subnet}


def test_its_instances_are_of_the_version_that_it_names(ground):
    template = ground.template(ground.data(subnet=False, InstanceType="trn9.large"))
    ground.ec2.create_launch_template_version(
        LaunchTemplateId=template, LaunchTemplateData=ground.data(subnet=False)
    )
    named = {"LaunchTemplateId": template, "Version": "2"}
    ground.group_of({}, LaunchTemplate=named)
    (instance,) = group(ground)["Instances"]
    assert instance["InstanceType"] == TYPE
    assert instance["LaunchTemplate"]["Version"] == "2"
    assert group(ground)["LaunchTemplate"]["Version"] == "2"


def test_tags_are_propagated_when_they_are_to_be(ground):
    tags = [
        {"Key": "cluster", "Value": "a", "PropagateAtLaunch": True},
        {"Key": "note", "Value": "b", "PropagateAtLaunch": False},
    ]
    template_tags = [{"Key": "cluster", "Value": "template"}, {"Key": "role", "Value": "node"}]
    data = ground.data(
        subnet=False, TagSpecifications=[{"ResourceType": "instance", "Tags": template_tags}]
    )
    ground.group_of(data, Tags=tags)
    (instance,) = ground.running()
    told = {tag["Key"]: tag["Value"] for tag in instance["Tags"]}
    assert told["aws:autoscaling:groupName"] == "nodes"
    assert (told["cluster"], told["role"], "note" in told) == ("a", "node", False)


def test_left_out_the_desired_capacity_is_the_minimum(ground):
    request = {
        "AutoScalingGroupName": "nodes",
        "MinSize": 1,
        "MaxSize": 2,
        "VPCZoneIdentifier": ground.subnet,
        "LaunchTemplate": {"LaunchTemplateId": ground.template(ground.data(subnet=False))},
    }
    ground.scaling.create_auto_scaling_group(**request)
    assert (group(ground)["DesiredCapacity"], len(ground.running())) == (1, 1)


def test_everything_that_a_group_is_told_is_told_back(ground):
    asked = {
        "CapacityRebalance": True,
        "CapacityReservationSpecification": {"CapacityReservationPreference": "none"},
        "DefaultCooldown": 60,
        "DefaultInstanceWarmup": 30,
        "DesiredCapacityType": "units",
        "HealthCheckGracePeriod": 600,
        "HealthCheckType": "EC2",
        "InstanceMaintenancePolicy": {"MinHealthyPercentage": 90, "MaxHealthyPercentage": 120},
        "MaxInstanceLifetime": 86400,
        "NewInstancesProtectedFromScaleIn": True,
        "TerminationPolicies": ["OldestLaunchTemplate", "Default"],
        "AvailabilityZoneDistribution": {"CapacityDistributionStrategy": "balanced-only"},
    }
    ground.group_of(ground.data(subnet=False), **asked)
    told = group(ground)
    assert {name: told[name] for name in asked} == asked
    assert told["AvailabilityZones"] == ["us-east-2c"]
    assert told["Instances"][0]["ProtectedFromScaleIn"] is True
    changed = asked | {
        "CapacityRebalance": False,
        "DefaultCooldown": 90,
        "HealthCheckGracePeriod": 0,
        "TerminationPolicies": ["NewestInstance"],
        "MaxInstanceLifetime": 172800,
    }
    ground.scaling.update_auto_scaling_group(AutoScalingGroupName="nodes", **changed)
    told = group(ground)
    assert {name: told[name] for name in changed} == changed


def test_instances_spread_over_the_zones(ground):
    other = ground.add_subnet("use2-az1")
    both = f"{ground.subnet},{other}"
    ground.group_of(ground.data(subnet=False), size=4, VPCZoneIdentifier=both)
    zones = sorted(i["Placement"]["AvailabilityZone"] for i in ground.running())
    assert zones == ["us-east-2a", "us-east-2a", "us-east-2c", "us-east-2c"]


def test_a_cluster_placement_group_keeps_to_the_first_zone(ground):
    ground.ec2.create_placement_group(GroupName="close", Strategy="cluster")
    both = f"{ground.subnet},{ground.add_subnet('use2-az1')}"
    data = ground.data(subnet=False, Placement={"GroupName": "close"})
    ground.group_of(data, size=3, VPCZoneIdentifier=both)
    assert {i["Placement"]["AvailabilityZone"] for i in ground.running()} == {"us-east-2c"}


def test_want_of_quota_shows_as_a_failed_activity_and_fewer_instances(ground):
    set_vcpu_quota(QUOTA, 2 * 192, REGION)
    ground.group_of(ground.data(subnet=False), size=4)
    assert (group(ground)["DesiredCapacity"], len(group(ground)["Instances"])) == (4, 2)
    (failed,) = ground.activities("Failed")
    assert failed["StatusMessage"].startswith("You have requested more vCPU capacity than")
    assert failed["StatusMessage"].endswith("belongs to. Launching EC2 instance failed.")
    assert json.loads(failed["Details"])["Availability Zone"] == "us-east-2c"
    assert len(ground.activities("Successful")) == 2
    set_vcpu_quota(QUOTA, None, REGION)
    retry_launches("nodes", REGION)
    assert len(group(ground)["Instances"]) == 4


def test_a_zone_without_the_type_shows_as_a_failed_activity(ground):
    other = ground.add_subnet("use2-az1")
    data = ground.data(
        InstanceType="trn1.2xlarge", NetworkInterfaces=[{"DeviceIndex": 0}], subnet=False
    )
    ground.group_of(data, VPCZoneIdentifier=other)
    (failed,) = ground.activities("Failed")
    assert (
        "(trn1.2xlarge) is not supported in your requested Availability Zone (us-east-2a)"
        in (failed["StatusMessage"])
    )
    assert group(ground)["Instances"] == []


def test_a_block_that_has_not_begun_shows_as_a_failed_activity(ground):
    target = {"CapacityReservationTarget": {"CapacityReservationId": BLOCK}}
    data = ground.data(
        subnet=False,
        InstanceMarketOptions={"MarketType": "capacity-block"},
        CapacityReservationSpecification=target,
    )
    seed_capacity_reservation(
        BLOCK, REGION, TYPE, 2, "use2-az3", capacity_block=True, state="scheduled"
    )
    ground.group_of(data, size=2)
    (failed,) = ground.activities("Failed")
    assert failed["StatusMessage"] == (
        f"Your Capacity Block reservation {BLOCK} is not active yet. Launching EC2 instance failed."
    )
    seed_capacity_reservation(BLOCK, REGION, TYPE, 2, "use2-az3", capacity_block=True)
    ground.scaling.set_desired_capacity(AutoScalingGroupName="nodes", DesiredCapacity=2)
    assert {i["CapacityReservationId"] for i in ground.running()} == {BLOCK}


def test_a_group_can_say_which_reservation_to_use(ground):
    seed_capacity_reservation(BLOCK, REGION, TYPE, 2, "use2-az3")
    wish = {
        "CapacityReservationPreference": "capacity-reservations-only",
        "CapacityReservationTarget": {"CapacityReservationIds": [BLOCK]},
    }
    ground.group_of(ground.data(subnet=False), size=3, CapacityReservationSpecification=wish)
    assert [i["CapacityReservationId"] for i in ground.running()] == [BLOCK, BLOCK]
    assert len(ground.activities("Failed")) == 1


def test_a_terminated_instance_is_replaced(ground):
    ground.group_of(ground.data(subnet=False))
    (first,) = ground.running()
    ground.ec2.terminate_instances(InstanceIds=[first["InstanceId"]])
    (second,) = ground.running()
    assert second["InstanceId"] != first["InstanceId"]
    assert len(second["NetworkInterfaces"]) == 17


@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        ({"MinSize": 3, "MaxSize": 2}, "ValidationError", "Max bound, 2, must be greater"),
        ({"DesiredCapacity": 9}, "ValidationError", "Desired capacity:9 must be between"),
        ({"HealthCheckType": "SSH"}, "ValidationError", "Health check type SSH"),
        ({"TerminationPolicies": ["Random"]}, "ValidationError", "Random"),
        ({"MaxInstanceLifetime": 60}, "ValidationError", "between 86400 and 31536000"),
        (
            {"VPCZoneIdentifier": "subnet-0123456789abcdef0"},
            "ValidationError",
            "The subnet ID 'subnet-0123456789abcdef0' does not exist",
        ),
        ({"AvailabilityZones": ["us-east-1a"]}, "ValidationError", "Invalid availability zone"),
        (
            {"LaunchTemplate": {"LaunchTemplateId": "lt-0123456789abcdef0"}},
            "ValidationError",
            "lt-0123456789abcdef0",
        ),
        ({"PlacementGroup": "far"}, "ValidationError", "The Placement Group 'far' is unknown"),
    ],
)
def test_a_group_that_can_not_be_is_refused(ground, changes, code, message):
    told = refusal(lambda: ground.group_of(ground.data(subnet=False), **changes))
    assert (told[0], message in told[1]) == (code, True), told


def test_a_version_that_does_not_exist_is_refused(ground):
    named = {"LaunchTemplateId": ground.template(ground.data(subnet=False)), "Version": "7"}
    code, message = refusal(lambda: ground.group_of({}, LaunchTemplate=named))
    assert code == "ValidationError"
    assert "Could not find the specified version 7" in message


def test_a_name_is_taken_once(ground):
    ground.group_of(ground.data(subnet=False), size=0)
    template = group(ground)["LaunchTemplate"]["LaunchTemplateId"]
    named = {"LaunchTemplateId": template}
    assert refusal(lambda: ground.group_of({}, LaunchTemplate=named))[0] == "AlreadyExists"


def test_sizes_change_within_their_bounds(ground):
    ground.group_of(ground.data(subnet=False))
    ground.scaling.update_auto_scaling_group(AutoScalingGroupName="nodes", MinSize=2)
    assert len(ground.running()) == 2
    too_many = {"AutoScalingGroupName": "nodes", "DesiredCapacity": 5}
    code, message = refusal(lambda: ground.scaling.set_desired_capacity(**too_many))
    assert (code, "above max value 4" in message) == ("ValidationError", True)
    ground.scaling.update_auto_scaling_group(AutoScalingGroupName="nodes", MinSize=0, MaxSize=1)
    assert (group(ground)["DesiredCapacity"], len(ground.running())) == (1, 1)


def test_a_wrong_template_is_refused_at_an_update_too(ground):
    ground.group_of(ground.data(subnet=False))
    template = group(ground)["LaunchTemplate"]["LaunchTemplateId"]
    ground.ec2.create_launch_template_version(
        LaunchTemplateId=template, LaunchTemplateData={"InstanceType": TYPE}
    )
    wrong = {"LaunchTemplateId": template, "Version": "2"}
    code, message = refusal(
        lambda: ground.scaling.update_auto_scaling_group(
            AutoScalingGroupName="nodes", LaunchTemplate=wrong
        )
    )
    assert (code, "ImageId" in message) == ("ValidationError", True)
    assert group(ground)["LaunchTemplate"]["Version"] == "1"


def test_a_group_with_instances_is_deleted_by_force_only(ground):
    ground.group_of(ground.data(subnet=False), NewInstancesProtectedFromScaleIn=True)
    named = {"AutoScalingGroupName": "nodes"}
    assert refusal(lambda: ground.scaling.delete_auto_scaling_group(**named))[0] == "ResourceInUse"
    ground.scaling.delete_auto_scaling_group(**named, ForceDelete=True)
    assert ground.running() == []
    assert ground.ec2.describe_network_interfaces()["NetworkInterfaces"] == []


def test_a_mixed_policy_launches_what_its_first_override_says(ground):
    template = ground.template(
        ground.data(subnet=False, NetworkInterfaces=[{"DeviceIndex": 0}], InstanceType=None)
    )
    policy = {
        "LaunchTemplate": {
            "LaunchTemplateSpecification": {"LaunchTemplateId": template, "Version": "1"},
            "Overrides": [{"InstanceType": "trn1.2xlarge"}, {"InstanceType": "trn1.32xlarge"}],
        }
    }
    ground.group_of({}, MixedInstancesPolicy=policy)
    ground.scaling.update_auto_scaling_group(AutoScalingGroupName="nodes", DesiredCapacity=2)
    assert {i["InstanceType"] for i in ground.running()} == {"trn1.2xlarge"}
    told = group(ground)
    assert "LaunchTemplate" not in told
    assert (
        told["MixedInstancesPolicy"]["LaunchTemplate"]["Overrides"]
        == (policy["LaunchTemplate"]["Overrides"])
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "At least one of"),
        ({"MinSize": 3, "MaxSize": 2, "StartTime": "2099-01-01T00:00:00Z"}, "less than or equal"),
        ({"MinSize": 1, "DesiredCapacity": 0, "StartTime": "2099-01-01T00:00:00Z"}, "out of"),
        ({"DesiredCapacity": 0}, "StartTime or Recurrence"),
        (
            {
                "DesiredCapacity": 0,
                "StartTime": "2099-01-02T00:00:00Z",
                "EndTime": "2099-01-01T00:00:00Z",
            },
            "end time",
        ),
    ],
)
def test_a_scheduled_action_that_makes_no_sense_is_refused(ground, changes, message):
    ground.group_of(ground.data(subnet=False), size=0)
    code, told = refusal(
        lambda: ground.scaling.put_scheduled_update_group_action(
            AutoScalingGroupName="nodes", ScheduledActionName="night", **changes
        )
    )
    assert (code, message in told) == ("ValidationError", True), told


def test_two_groups_can_have_scheduled_actions_of_one_name(ground):
    template = {"LaunchTemplateId": ground.template(ground.data(subnet=False))}
    for name in ("a", "b"):
        ground.group_of({}, size=0, AutoScalingGroupName=name, LaunchTemplate=template)
        ground.scaling.put_scheduled_update_group_action(
            AutoScalingGroupName=name,
            ScheduledActionName="night",
            Recurrence="0 20 * * *",
            DesiredCapacity=0,
        )
    ground.scaling.delete_scheduled_action(AutoScalingGroupName="a", ScheduledActionName="night")
    (left,) = ground.scaling.describe_scheduled_actions()["ScheduledUpdateGroupActions"]
    assert left["AutoScalingGroupName"] == "b"
    ground.scaling.delete_auto_scaling_group(AutoScalingGroupName="b")
    assert ground.scaling.describe_scheduled_actions()["ScheduledUpdateGroupActions"] == []


def test_metrics_are_collected_all_or_some(ground):
    ground.group_of(ground.data(subnet=False), size=0)
    named = {"AutoScalingGroupName": "nodes"}
    ground.scaling.enable_metrics_collection(**named, Granularity="1Minute")
    assert len(group(ground)["EnabledMetrics"]) == 20
    ground.scaling.disable_metrics_collection(**named)
    ground.scaling.enable_metrics_collection(
        **named, Granularity="1Minute", Metrics=["GroupInServiceInstances"]
    )
    (metric,) = group(ground)["EnabledMetrics"]
    assert metric == {"Metric": "GroupInServiceInstances", "Granularity": "1Minute"}
    told = {**named, "Granularity": "5Minute"}
    assert refusal(lambda: ground.scaling.enable_metrics_collection(**told))[0] == "ValidationError"
