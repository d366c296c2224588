"""The resource types of launching: every example's compute stack, made, read back and launched."""

from __future__ import annotations

import base64
import json
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.trnkit.emulation.launch_ground import PROFILE, TYPE, launch_ground, refusal
from trnkit.emulation.resources import auto_scaling, capacity, launch_templates
from trnkit.emulation.resources.registry_schema import check
from trnkit.emulation.resources.resource import Place, Refused
from trnkit.emulation.services.ec2 import images
from trnkit.emulation.services.ec2.capacity_reservations import (
    seed_capacity_reservation,
    seed_reservation_group,
)
from trnkit.emulation.services.ec2.instance_types import add_instance_types

ROOT = Path(__file__).parents[3]
TYPES = {t.name: t for t in (*launch_templates.TYPES, *capacity.TYPES, *auto_scaling.TYPES)}
ORDER = (
    "AWS::EC2::PlacementGroup",
    "AWS::EC2::CapacityReservation",
    "AWS::EC2::LaunchTemplate",
    "AWS::AutoScaling::AutoScalingGroup",
    "AWS::AutoScaling::ScheduledAction",
)
COMPUTE = sorted(
    path
    for path in (ROOT / "tests/golden/templates").glob("*/*.json")
    if "AWS::AutoScaling::AutoScalingGroup" in path.read_text(encoding="utf-8")
)


@pytest.fixture
def ground():
    with launch_ground() as ground:
        yield ground


def resolved(value: Any, ground: Any, made: dict[str, Any]) -> Any:
    """A template's value with its references resolved to what is there."""
    if isinstance(value, list):
        return [resolved(entry, ground, made) for entry in value]
    if isinstance(value, str) and value.startswith(("subnet-0", "sg-0")):
        return ground.subnet if value.startswith("subnet") else ground.group
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((name, told),) = value.items()
        if name == "Ref":
            return made[told].physical_id if told in made else _outside(told, ground)
        if name == "Fn::GetAtt":
            thing, attribute = told
            return made[thing].attributes[attribute] if thing in made else _outside(thing, ground)
        if name == "Fn::ImportValue":
            return _outside(told, ground)
        if name == "Fn::Join":
            return told[0].join(str(part) for part in resolved(told[1], ground, made))
        if name == "Fn::Base64":
            return base64.b64encode(resolved(told, ground, made).encode()).decode()
    return {name: resolved(entry, ground, made) for name, entry in value.items()}


def _outside(name: str, ground: Any) -> str:
    """What other stacks, and resources of other services, have."""
    known = {"AWS::AccountId": ground.place.account, "AWS::Region": ground.place.region}
    if name in known:
        return known[name]
    for part, value in (
        ("InstanceProfile", PROFILE),
        ("VolumeKey", "arn:aws:kms:us-east-2:111122223333:key/nodes"),
        ("SecurityGroup", ground.group),
        ("Subnet", ground.subnet),
    ):
        if part in name:
            return value
    return name


@contextmanager
def deployed(path: Path):
    """An example's compute stack: ground, places, made resources and their properties."""
    example = yaml.safe_load((ROOT / "examples" / f"{path.parent.name}.yaml").read_text())
    network = example.get("network", {})
    zone = network.get("availability_zone_id") or network.get("existing", {}).get(
        "availability_zone_id"
    )
    template = json.loads(path.read_text(encoding="utf-8"))["Resources"]
    with launch_ground(example["region"], zone) as ground, added_types(example):
        _seed(template, example["region"], zone)
        made: dict[str, Any] = {}
        told: dict[str, Any] = {}
        for type_name in ORDER:
            for name, resource in template.items():
                if resource["Type"] == type_name:
                    told[name] = resolved(resource["Properties"], ground, made)
                    # The schema's pattern for this one has a ^ in the middle: nothing matches it.
                    judged = {k: v for k, v in told[name].items() if k != "PlacementGroupArn"}
                    check(type_name, example["region"], judged)
                    place = Place(
                        ground.place.account, example["region"], "s", name, ground.place.clients
                    )
                    made[name] = TYPES[type_name].create(place, told[name])
        yield ground, template, made, told


@contextmanager
def added_types(example: dict[str, Any]):
    """The instance types that an example brings along."""
    from moto.ec2.models import instance_types as known

    types, rows = dict(known.INSTANCE_TYPES), [*known.InstanceTypeBackend.instance_types]
    if named := example.get("instance_types_file"):
        add_instance_types(json.loads((ROOT / "examples" / named).read_text(encoding="utf-8")))
    try:
        yield
    finally:
        known.INSTANCE_TYPES.clear()
        known.INSTANCE_TYPES.update(types)
        known.InstanceTypeBackend.instance_types = rows


def _seed(template: dict[str, Any], region: str, zone: str) -> None:
    """Images and reservations that an example names by id."""
    for resource in template.values():
        data = resource.get("Properties", {}).get("LaunchTemplateData", {})
        image = data.get("ImageId", "")
        if image.startswith("ami-"):
            images.seed_image(image, region)
        target = data.get("CapacityReservationSpecification", {}).get(
            "CapacityReservationTarget", {}
        )
        block = data.get("InstanceMarketOptions", {}).get("MarketType") == "capacity-block"
        named = target.get("CapacityReservationId")
        arn = target.get("CapacityReservationResourceGroupArn")
        if isinstance(named, str) or arn:
            reservation = named or "cr-0123456789abcdef0"
            kind = data["InstanceType"]
            seed_capacity_reservation(reservation, region, kind, 64, zone, capacity_block=block)
            if arn:
                seed_reservation_group(arn, [reservation], region)


@pytest.mark.parametrize("path", COMPUTE, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_each_examples_properties_are_those_that_the_services_tell(path):
    with deployed(path) as (ground, template, made, told):
        assert made
        for name, resource in made.items():
            type_ = TYPES[template[name]["Type"]]
            read = type_.read(ground.place.clients, resource.physical_id, told[name])
            assert read is not None
            assert {key: read.get(key) for key in told[name]} == told[name], name


@pytest.mark.parametrize("path", COMPUTE, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_each_examples_groups_launch_what_their_templates_describe(path):
    with deployed(path) as (ground, template, made, told):
        for name, resource in made.items():
            if template[name]["Type"] != "AWS::AutoScaling::AutoScalingGroup":
                continue
            ground.scaling.set_desired_capacity(
                AutoScalingGroupName=resource.physical_id,
                DesiredCapacity=int(told[name]["MaxSize"]),
            )
        assert ground.activities("Failed") == []
        groups = [n for n in made if template[n]["Type"] == "AWS::AutoScaling::AutoScalingGroup"]
        assert len(ground.running()) == sum(int(told[name]["MaxSize"]) for name in groups)
        data = {
            made[name].physical_id: told[name]["LaunchTemplateData"]
            for name in made
            if template[name]["Type"] == "AWS::EC2::LaunchTemplate"
        }
        for instance in ground.running():
            tags = {tag["Key"]: tag["Value"] for tag in instance["Tags"]}
            wanted = data[tags["aws:ec2launchtemplate:id"]]
            assert _interfaces(instance) == [
                (i.get("NetworkCardIndex", 0), i["DeviceIndex"], i["InterfaceType"])
                for i in wanted["NetworkInterfaces"]
            ]
            group = wanted.get("Placement", {}).get("GroupName", "")
            assert instance["Placement"].get("GroupName", "") == group
            market = wanted.get("InstanceMarketOptions", {}).get("MarketType")
            assert instance.get("InstanceLifecycle") == market
            reserved = "CapacityReservationSpecification" in wanted
            assert ("CapacityReservationId" in instance) is reserved


def _interfaces(instance):
    return [
        (i["Attachment"]["NetworkCardIndex"], i["Attachment"]["DeviceIndex"], i["InterfaceType"])
        for i in instance["NetworkInterfaces"]
    ]


@pytest.mark.parametrize("path", COMPUTE, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_each_examples_resources_can_be_deleted_twice_and_are_gone(path):
    with deployed(path) as (ground, template, made, told):
        for name in reversed([*made]):
            type_ = TYPES[template[name]["Type"]]
            for _ in range(2):
                type_.delete(ground.place, made[name].physical_id, told[name])
            assert type_.read(ground.place.clients, made[name].physical_id, told[name]) is None


def test_every_type_of_the_examples_is_there():
    used = {
        resource["Type"]
        for path in COMPUTE
        for resource in json.loads(path.read_text(encoding="utf-8"))["Resources"].values()
        if resource["Type"].split("::")[1] == "AutoScaling" or "Launch" in resource["Type"]
    }
    assert used <= set(TYPES)


def test_a_changed_launch_template_is_a_new_version(ground):
    type_ = TYPES["AWS::EC2::LaunchTemplate"]
    tags = [{"ResourceType": "launch-template", "Tags": [{"Key": "a", "Value": "1"}]}]
    old = {"LaunchTemplateData": ground.data(subnet=False), "TagSpecifications": tags}
    made = type_.create(ground.place, old)
    assert made.attributes["LatestVersionNumber"] == "1"
    new_tags = [{"ResourceType": "launch-template", "Tags": [{"Key": "b", "Value": "2"}]}]
    data = ground.data(subnet=False, UserData="aGVsbG8=", EbsOptimized=True)
    new = {"LaunchTemplateData": data, "TagSpecifications": new_tags, "VersionDescription": "two"}
    changed = type_.update(ground.place, made, old, new)
    assert changed.physical_id == made.physical_id
    assert changed.attributes["LatestVersionNumber"] == "2"
    assert changed.attributes["DefaultVersionNumber"] == "1"
    read = type_.read(ground.place.clients, made.physical_id, new)
    assert {name: read[name] for name in new} == new
    retagged = type_.update(ground.place, changed, new, new | {"TagSpecifications": tags})
    assert retagged.attributes["LatestVersionNumber"] == "2"


def test_numbers_and_switches_may_be_text(ground):
    data = {"InstanceType": TYPE, "EbsOptimized": "true", "CpuOptions": {"CoreCount": "96"}}
    type_ = TYPES["AWS::EC2::LaunchTemplate"]
    made = type_.create(ground.place, {"LaunchTemplateData": data})
    read = type_.read(ground.place.clients, made.physical_id, {})["LaunchTemplateData"]
    assert (read["EbsOptimized"], read["CpuOptions"]["CoreCount"]) == (True, 96)


def test_too_much_user_data_refuses_the_template(ground):
    user_data = base64.b64encode(b"x" * 20_000).decode()
    properties = {"LaunchTemplateData": ground.data(subnet=False, UserData=user_data)}
    type_ = TYPES["AWS::EC2::LaunchTemplate"]
    code, message = refusal(lambda: type_.create(ground.place, properties))
    assert (code, message) == (
        "InvalidUserData.Malformed",
        "User data is limited to 16384 bytes",
    )
    assert ground.ec2.describe_launch_templates()["LaunchTemplates"] == []


def test_a_reservation_changes_in_place(ground):
    type_ = TYPES["AWS::EC2::CapacityReservation"]
    old = {
        "InstanceType": TYPE,
        "InstancePlatform": "Linux/UNIX",
        "InstanceCount": 2,
        "AvailabilityZoneId": "use2-az3",
        "EndDateType": "unlimited",
    }
    made = type_.create(ground.place, old)
    assert made.attributes["AvailabilityZone"] == "us-east-2c"
    new = old | {"InstanceCount": 4, "EndDateType": "limited", "EndDate": "2099-03-31 18:00:00"}
    changed = type_.update(ground.place, made, old, new)
    assert changed.attributes["TotalInstanceCount"] == "4"
    read = type_.read(ground.place.clients, made.physical_id, new)
    assert {name: read[name] for name in new} == new


GROUP = {
    "MinSize": "0",
    "MaxSize": "4",
    "DesiredCapacity": "1",
    "Cooldown": "60",
    "CapacityRebalance": True,
    "HealthCheckType": "EC2",
    "HealthCheckGracePeriod": 600,
    "MetricsCollection": [{"Granularity": "1Minute", "Metrics": ["GroupInServiceInstances"]}],
    "NewInstancesProtectedFromScaleIn": True,
    "TerminationPolicies": ["OldestInstance"],
    "LifecycleHookSpecificationList": [
        {
            "LifecycleHookName": "drain",
            "LifecycleTransition": "autoscaling:EC2_INSTANCE_TERMINATING",
            "HeartbeatTimeout": 300,
            "DefaultResult": "CONTINUE",
        }
    ],
    "Tags": [{"Key": "a", "Value": "1", "PropagateAtLaunch": True}],
}


@pytest.fixture
def nodes(ground):
    """An Auto Scaling group with its properties."""
    template = {"LaunchTemplateId": ground.template(ground.data(subnet=False)), "Version": "1"}
    properties = {**GROUP, "LaunchTemplate": template, "VPCZoneIdentifier": [ground.subnet]}
    type_ = TYPES["AWS::AutoScaling::AutoScalingGroup"]
    return ground, type_, type_.create(ground.place, properties), properties


def test_a_group_is_read_back_and_changes_in_place(nodes):
    ground, type_, made, old = nodes
    read = type_.read(ground.place.clients, made.physical_id, old)
    assert {name: read[name] for name in old} == old
    new = old | {
        "MaxSize": "5",
        "Cooldown": "90",
        "MetricsCollection": [{"Granularity": "1Minute"}],
        "Tags": [{"Key": "b", "Value": "2", "PropagateAtLaunch": False}],
        "LifecycleHookSpecificationList": [
            old["LifecycleHookSpecificationList"][0] | {"LifecycleHookName": "other"}
        ],
    }
    del new["TerminationPolicies"], new["NewInstancesProtectedFromScaleIn"]
    changed = type_.update(ground.place, made, old, new)
    assert changed.physical_id == made.physical_id
    read = type_.read(ground.place.clients, made.physical_id, new)
    assert {name: read[name] for name in new} == new
    assert read["TerminationPolicies"] == ["Default"]
    assert read["NewInstancesProtectedFromScaleIn"] is False


def test_sizes_that_the_template_does_not_change_are_left_to_the_schedule(nodes):
    ground, type_, made, old = nodes
    ground.scaling.set_desired_capacity(AutoScalingGroupName=made.physical_id, DesiredCapacity=3)
    type_.update(ground.place, made, old, old | {"HealthCheckGracePeriod": 60})
    assert len(ground.running()) == 3
    type_.update(ground.place, made, old, old | {"MinSize": "4"})
    assert len(ground.running()) == 4


def test_a_group_that_fails_half_way_is_not_left_behind(ground):
    template = {"LaunchTemplateId": ground.template(ground.data(subnet=False)), "Version": "1"}
    properties = {
        **GROUP,
        "LaunchTemplate": template,
        "VPCZoneIdentifier": [ground.subnet],
        "MetricsCollection": [{"Granularity": "1Minute", "Metrics": ["Unknown"]}],
    }
    type_ = TYPES["AWS::AutoScaling::AutoScalingGroup"]
    assert refusal(lambda: type_.create(ground.place, properties))[0] == "ValidationError"
    assert ground.scaling.describe_auto_scaling_groups()["AutoScalingGroups"] == []
    assert ground.running() == []


def test_what_of_a_group_is_not_emulated_is_refused(ground):
    type_ = TYPES["AWS::AutoScaling::AutoScalingGroup"]
    with pytest.raises(Refused, match="TargetGroupARNs"):
        type_.create(ground.place, {"MinSize": "0", "MaxSize": "1", "TargetGroupARNs": ["arn:x"]})


@pytest.mark.parametrize(
    ("type_name", "properties", "changes"),
    [
        (
            "AWS::AutoScaling::LifecycleHook",
            {
                "LifecycleTransition": "autoscaling:EC2_INSTANCE_LAUNCHING",
                "HeartbeatTimeout": 600,
                "DefaultResult": "ABANDON",
                "NotificationTargetARN": "arn:aws:sns:us-east-2:111122223333:nodes",
                "RoleARN": "arn:aws:iam::111122223333:role/nodes",
                "NotificationMetadata": "m",
            },
            {"HeartbeatTimeout": 900, "DefaultResult": "CONTINUE"},
        ),
        (
            "AWS::AutoScaling::WarmPool",
            {
                "MinSize": 1,
                "PoolState": "Stopped",
                "MaxGroupPreparedCapacity": 2,
                "InstanceReusePolicy": {"ReuseOnScaleIn": True},
            },
            {"MinSize": 2},
        ),
        (
            "AWS::AutoScaling::ScheduledAction",
            {"StartTime": "2099-03-01T11:30:00Z", "DesiredCapacity": 0, "MinSize": 0},
            {"DesiredCapacity": 2, "Recurrence": "0 20 * * *", "TimeZone": "Etc/UTC"},
        ),
    ],
)
def test_what_belongs_to_a_group_is_made_read_changed_and_deleted(
    nodes, type_name, properties, changes
):
    ground, _, group, _ = nodes
    type_ = TYPES[type_name]
    old = properties | {"AutoScalingGroupName": group.physical_id}
    check(type_name, ground.place.region, old)
    made = type_.create(ground.place, old)
    read = type_.read(ground.place.clients, made.physical_id, old)
    assert {name: read[name] for name in old} == old
    new = old | changes
    type_.update(ground.place, made, old, new)
    read = type_.read(ground.place.clients, made.physical_id, new)
    assert {name: read[name] for name in new} == new
    for _ in range(2):
        type_.delete(ground.place, made.physical_id, new)
    assert type_.read(ground.place.clients, made.physical_id, new) is None
