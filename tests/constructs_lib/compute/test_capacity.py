"""Capacity Blocks, reservations and Spot in launch templates, groups and reservations."""

from __future__ import annotations

import json

import pytest
from aws_cdk import App, Environment, Stack, Stage, Tags, Validations
from aws_cdk import aws_ec2 as ec2

from constructs_lib.compute import (
    CapacityReservation,
    ClusterPlacementGroup,
    MachineImage,
    NodeAutoScalingGroup,
    NodeCapacity,
    NodeVolume,
    NodeVolumeKey,
    NodeVolumes,
    TrainiumLaunchTemplate,
)
from constructs_lib.policy import TemplateRulesPlugin
from tests.synthesis import cdk_context
from trnkit.errors import ConstructError
from trnkit.layout.capacity import ScalingSchedule

ID = "cr-0123456789abcdef0"
ARN = "arn:aws:resource-groups:us-east-2:111122223333:group/blocks"
IMAGE = MachineImage(image_id="ami-0123456789abcdef0")


@pytest.fixture
def make(stack, security_group):
    def template(**options):
        return TrainiumLaunchTemplate(
            stack,
            "LaunchTemplate",
            instance_type=options.pop("instance_type", "trn2.48xlarge"),
            image=IMAGE,
            security_groups=[security_group],
            instance_profile=None,
            **options,
        )

    return template


@pytest.fixture
def data(make, resources):
    def launch_template_data(**options):
        make(**options)
        (template,) = resources("AWS::EC2::LaunchTemplate").values()
        return template["Properties"]["LaunchTemplateData"]

    return launch_template_data


MARKET, RESERVATION = "InstanceMarketOptions", "CapacityReservationSpecification"


@pytest.mark.parametrize(
    ("capacity", "market", "reservation"),
    [
        pytest.param(None, None, None, id="CAP-17 default is EC2's, open"),
        pytest.param(
            NodeCapacity.capacity_block(capacity_reservation_id=ID),
            {"MarketType": "capacity-block"},
            {"CapacityReservationTarget": {"CapacityReservationId": ID}},
            id="CAP-01 block",
        ),
        pytest.param(
            NodeCapacity.capacity_block(resource_group_arn=ARN),
            {"MarketType": "capacity-block"},
            {"CapacityReservationTarget": {"CapacityReservationResourceGroupArn": ARN}},
            id="1.6 UltraServer block",
        ),
        pytest.param(
            NodeCapacity.on_demand_reservation(capacity_reservation_id=ID),
            None,
            {
                "CapacityReservationPreference": "capacity-reservations-only",
                "CapacityReservationTarget": {"CapacityReservationId": ID},
            },
            id="CAP-04 reservation, never a market type",
        ),
        pytest.param(
            NodeCapacity.on_demand_reservation(),
            None,
            {"CapacityReservationPreference": "open"},
            id="CAP-17 open",
        ),
        pytest.param(
            NodeCapacity.spot(max_price_usd=0.0125),
            {
                "MarketType": "spot",
                "SpotOptions": {
                    "SpotInstanceType": "one-time",
                    "InstanceInterruptionBehavior": "terminate",
                    "MaxPrice": "0.0125",
                },
            },
            None,
            id="4.4 spot",
        ),
    ],
)
def test_market_and_reservation(data, capacity, market, reservation):
    launch = data(capacity=capacity)
    assert launch.get(MARKET) == market
    assert launch.get(RESERVATION) == reservation
    assert launch["InstanceType"] == "trn2.48xlarge", "CAP-18"
    assert launch["ImageId"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"capacity_reservation_id": ID, "resource_group_arn": ARN}, "got both"),
        ({"market_type": "capacity-block"}, "must be named"),
        ({"market_type": "spot", "capacity_reservation_id": ID}, "Spot instances cannot"),
        ({"capacity_reservation_id": "cr-1"}, "17 hex digits .*, got 'cr-1'"),
        ({"market_type": "spot", "max_price_usd": 0}, "more than 0"),
    ],
)
def test_cap_09_contradictions_are_refused(options, message):
    with pytest.raises(ConstructError, match=message):
        NodeCapacity(**options)


def test_cap_02_a_block_with_a_placement_group_is_refused(make, stack):
    with pytest.raises(ConstructError, match="must be left out with a Capacity Block"):
        make(
            capacity=NodeCapacity.capacity_block(capacity_reservation_id=ID),
            placement_group=ClusterPlacementGroup(stack, "Placement").placement_group,
        )


def test_cap_09_a_scheduled_group_begins_empty_and_is_emptied(make, stack, subnet, resources):
    schedule = ScalingSchedule("2027-03-01T11:30:00Z", "2027-03-08T10:50:00Z")
    NodeAutoScalingGroup(
        stack,
        "Nodes",
        launch_template=make(),
        subnet=subnet,
        desired_capacity=4,
        schedule=schedule,
    )
    everything = resources()
    (group,) = (r for r in everything.values() if r["Type"].endswith("::AutoScalingGroup"))
    sizes = [group["Properties"][key] for key in ("MinSize", "DesiredCapacity", "MaxSize")]
    assert sizes == ["0", "0", "4"]
    keep = group["UpdatePolicy"]["AutoScalingScheduledAction"]
    assert keep == {"IgnoreUnmodifiedGroupSizeProperties": True}
    assert set(group["UpdatePolicy"]) == {"AutoScalingScheduledAction"}, "no rolling update"
    actions = [r["Properties"] for r in everything.values() if r["Type"].endswith("Action")]
    assert {(a["StartTime"], a["MinSize"], a["DesiredCapacity"]) for a in actions} == {
        ("2027-03-01T11:30:00Z", 0, 4),
        ("2027-03-08T10:50:00Z", 0, 0),
    }


def test_a_group_in_an_active_block_has_its_size_at_once(make, stack, subnet, resources):
    NodeAutoScalingGroup(
        stack,
        "Nodes",
        launch_template=make(),
        subnet=subnet,
        desired_capacity=4,
        schedule=ScalingSchedule(None, "2027-03-08T10:50:00Z"),
    )
    everything = resources().values()
    (group,) = (r for r in everything if r["Type"].endswith("::AutoScalingGroup"))
    assert group["Properties"]["DesiredCapacity"] == "4"
    (action,) = (r["Properties"] for r in everything if r["Type"].endswith("Action"))
    assert action["DesiredCapacity"] == 0


def reserve(stack, **options):
    return CapacityReservation(
        stack,
        "Reservation",
        instance_type="trn2.48xlarge",
        availability_zone_id="use2-az3",
        **({"instance_count": 4} | options),
    )


@pytest.mark.parametrize(
    ("options", "end"),
    [
        ({"end_date": "2027-03-31T18:00:00Z"}, ("limited", "2027-03-31T18:00:00Z")),
        ({"unlimited": True}, ("unlimited", None)),
    ],
)
def test_cap_16_a_reservation_has_an_end_or_is_meant_to_have_none(stack, resources, options, end):
    reserved = reserve(stack, **options)
    Tags.of(stack).add("trnkit-cluster", "pretrain")
    assert reserved.capacity_reservation_id
    (made,) = resources("AWS::EC2::CapacityReservation").values()
    properties = made["Properties"]
    assert (properties["EndDateType"], properties.get("EndDate")) == end
    assert properties["InstanceMatchCriteria"] == "targeted"
    assert properties["AvailabilityZoneId"] == "use2-az3"
    assert properties["TagSpecifications"] == [
        {
            "ResourceType": "capacity-reservation",
            "Tags": [{"Key": "trnkit-cluster", "Value": "pretrain"}],
        }
    ], "BUD-11"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "got neither"),
        ({"end_date": "2027-03-31T18:00:00Z", "unlimited": True}, "got both"),
        ({"end_date": "tomorrow"}, "got 'tomorrow'"),
        ({"unlimited": True, "instance_count": 0}, "got 0"),
        ({"unlimited": True, "instance_match_criteria": "any"}, "got 'any'"),
    ],
)
def test_a_reservation_that_ec2_refuses(stack, options, message):
    with pytest.raises(ConstructError, match=message):
        reserve(stack, **options)


def test_host_01_auto_scaling_may_use_the_volume_key(stack, data, resources):
    key = NodeVolumeKey(stack, "Key").key
    launch = data(volumes=NodeVolumes(root_kms_key_arn=key.key_arn))
    (made,) = resources("AWS::KMS::Key").values()
    assert made["Properties"]["EnableKeyRotation"] is True
    assert made["DeletionPolicy"] == "RetainExceptOnCreate"
    assert made["UpdateReplacePolicy"] == "Retain"
    _, use, grant = made["Properties"]["KeyPolicy"]["Statement"]
    for statement in (use, grant):
        assert "AWSServiceRoleForAutoScaling" in json.dumps(statement["Principal"])
    assert set(use["Action"]) == {
        "kms:Encrypt",
        "kms:Decrypt",
        "kms:ReEncrypt*",
        "kms:GenerateDataKey*",
        "kms:DescribeKey",
    }
    assert grant["Action"] == "kms:CreateGrant"
    assert grant["Condition"] == {"Bool": {"kms:GrantIsForAWSResource": "true"}}
    (mapping,) = launch["BlockDeviceMappings"]
    assert mapping["Ebs"]["KmsKeyId"]["Fn::GetAtt"][1] == "Arn"


def test_volumes(data):
    launch = data(
        root_volume_size_gib=1000,
        volumes=NodeVolumes(
            root_iops=6000,
            root_throughput_mibps=500,
            additional=(NodeVolume(device_name="/dev/sdf", size_gib=2000),),
        ),
    )
    root, second = launch["BlockDeviceMappings"]
    assert root["Ebs"] | {"Iops": 6000, "Throughput": 500, "VolumeSize": 1000} == root["Ebs"]
    assert second == {
        "DeviceName": "/dev/sdf",
        "Ebs": {
            "VolumeSize": 2000,
            "VolumeType": "gp3",
            "Encrypted": True,
            "DeleteOnTermination": True,
        },
    }


@pytest.mark.parametrize(
    ("volume", "message"),
    [
        ({"iops": 2999}, "iops of /dev/sdf must be 3000 to 80000, got 2999"),
        ({"throughput_mibps": 2001}, "must be 125 to 2000, got 2001"),
        ({"size_gib": 0}, "must be 1 to 65536, got 0"),
    ],
)
def test_volumes_that_gp3_does_not_have(volume, message):
    with pytest.raises(ConstructError, match=message):
        NodeVolume(**({"device_name": "/dev/sdf", "size_gib": 100} | volume))


def test_two_volumes_in_one_place_are_refused(make):
    taken = NodeVolume(device_name="/dev/sda1", size_gib=100)
    with pytest.raises(ConstructError, match="must differ, got /dev/sda1"):
        make(volumes=NodeVolumes(additional=(taken,)))


@pytest.mark.parametrize(("name", "cores"), [("trn2.48xlarge", 96), ("trn1.2xlarge", 4)])
def test_threads_come_with_the_types_cores(data, name, cores):
    launch = data(instance_type=name, threads_per_core=1)
    assert launch["CpuOptions"] == {"CoreCount": cores, "ThreadsPerCore": 1}


def test_threads_that_a_type_does_not_have(make):
    with pytest.raises(ConstructError, match=r"must be 1 to 2 on trn2\.48xlarge, got 3"):
        make(threads_per_core=3)


def test_efa_14_an_override_reaches_the_template(make, resources):
    template = make()
    template.add_override("NetworkInterfaces.0.Description", "head")
    template.add_override("HibernationOptions.Configured", False)
    template.add_override("Monitoring", None)
    (made,) = resources("AWS::EC2::LaunchTemplate").values()
    launch = made["Properties"]["LaunchTemplateData"]
    assert launch["NetworkInterfaces"][0]["Description"] == "head"
    assert launch["NetworkInterfaces"][0]["DeviceIndex"] == 0, "the rest stays"
    assert launch["HibernationOptions"] == {"Configured": False}
    assert "Monitoring" not in launch


@pytest.mark.parametrize("path", ["", "image_id", "0", "A..B", "NetworkInterfaces.-1", "A.b"])
def test_efa_14_an_override_in_another_spelling_is_refused(make, path):
    with pytest.raises(ConstructError, match="path must be CloudFormation names"):
        make().add_override(path, "x")


@pytest.mark.parametrize(
    ("path", "value", "rule_id"),
    [
        ("NetworkInterfaces.5.DeviceIndex", 5, "TRN252"),
        ("SecurityGroupIds", ["sg-0123456789abcdef0"], "TRN253"),
        ("InstanceMarketOptions.MarketType", "capacity-block", "TRN260"),
    ],
)
def test_efa_14_an_override_is_judged_again_at_synth(tmp_path, path, value, rule_id):
    app = App(context=cdk_context(), outdir=str(tmp_path), builtin_cloud_formation_validation=False)
    Validations.of(app).add_plugins(TemplateRulesPlugin())
    stack = Stack(Stage(app, "stage", env=Environment(region="us-east-2")), "Compute")
    group = ec2.SecurityGroup.from_security_group_id(stack, "Theirs", "sg-0123456789abcdef0")
    template = TrainiumLaunchTemplate(
        stack,
        "LaunchTemplate",
        instance_type="trn2.48xlarge",
        image=IMAGE,
        security_groups=[group],
        instance_profile=None,
    )
    template.add_override(path, value)
    with pytest.raises(RuntimeError, match="ValidationFailed"):
        app.synth()
    report = json.loads((tmp_path / "validation-report.json").read_text())
    fired = {v["ruleName"] for r in report["pluginReports"] for v in r["violations"]}
    assert fired == {rule_id}
