"""EC2 refuses what it documents to refuse, and an Auto Scaling group with such a template."""

from __future__ import annotations

import base64

import pytest

from tests.trnkit.emulation.launch_ground import launch_ground, refusal
from trnkit.emulation.services.ec2 import images


@pytest.fixture
def ground():
    with launch_ground() as ground:
        ec2 = ground.ec2
        ec2.create_placement_group(GroupName="close", Strategy="cluster")
        other = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
        ec2.create_security_group(GroupName="far", Description="far", VpcId=other)
        images.seed_image("ami-0aaaaaaaaaaaaaaaa", "us-east-2", architecture="arm64")
        images.seed_image("ami-0bbbbbbbbbbbbbbbb", "us-east-2", ena_support=False)
        yield ground


def foreign_groups(ground):
    named = [{"Name": "group-name", "Values": ["far"]}]
    groups = ground.ec2.describe_security_groups(Filters=named)["SecurityGroups"]
    return [group["GroupId"] for group in groups]


def interfaces(*changes, drop=None):
    """Changes of single interfaces: position and members."""

    def change(ground, data):
        data["NetworkInterfaces"] = [dict(i) for i in data["NetworkInterfaces"]][:drop]
        for position, members in changes:
            if position >= len(data["NetworkInterfaces"]):
                data["NetworkInterfaces"].append(dict(data["NetworkInterfaces"][-1]))
            told = {k: v(ground) if callable(v) else v for k, v in members.items()}
            data["NetworkInterfaces"][position].update(told)

    return change


def says(**members):
    def change(ground, data):
        del ground
        data.update(members)

    return change


def small(*changes):
    """On a type with one card and without EFA."""

    def change(ground, data):
        data["InstanceType"] = "trn1.2xlarge"
        data["NetworkInterfaces"] = data["NetworkInterfaces"][:1]
        interfaces(*changes)(ground, data)

    return change


def root(**ebs):
    return says(BlockDeviceMappings=[{"DeviceName": "/dev/sda1", "Ebs": ebs}])


def target(**members):
    named = {"CapacityReservationId": "cr-0123456789abcdef0"}
    return {"CapacityReservationTarget": named, **members}


BLOCK = {"MarketType": "capacity-block"}
SPOT = {"MarketType": "spot"}

REFUSED = {
    "unknown type": (
        says(InstanceType="trn9.large"),
        "InvalidParameterValue",
        "Invalid value 'trn9.large' for InstanceType",
    ),
    "no type": (lambda g, d: d.pop("InstanceType"), "MissingParameter", "InstanceType"),
    "no image": (lambda g, d: d.pop("ImageId"), "MissingParameter", "ImageId"),
    "unknown image": (
        says(ImageId="ami-0fedcba9876543210"),
        "InvalidAMIID.NotFound",
        "ami-0fedcba9876543210",
    ),
    "unknown parameter": (
        says(ImageId="resolve:ssm:/none"),
        "InvalidParameterValue",
        "could not be found",
    ),
    "image of another architecture": (
        says(ImageId="ami-0aaaaaaaaaaaaaaaa"),
        "InvalidParameterValue",
        "does not match the architecture 'arm64' of the specified AMI",
    ),
    "image without ENA": (
        says(ImageId="ami-0bbbbbbbbbbbbbbbb"),
        "InvalidParameterCombination",
        "Elastic Network Adapter (ENA) is required",
    ),
    "card that the type has not": (
        interfaces((16, {"NetworkCardIndex": 16})),
        "InvalidParameterValue",
        "Network card index 16",
    ),
    "device twice on a card": (
        interfaces((1, {"DeviceIndex": 0})),
        "InvalidParameterValue",
        "Device index 0 is used more than once on network card 0",
    ),
    "device beyond the card": (
        interfaces((2, {"DeviceIndex": 2})),
        "AttachmentLimitExceeded",
        "limit of 2 network interfaces on network card 1",
    ),
    "more interfaces than the type": (
        small(*[(n, {"DeviceIndex": n}) for n in range(1, 5)]),
        "AttachmentLimitExceeded",
        "limit of 4",
    ),
    "no device index": (
        lambda g, d: d["NetworkInterfaces"][0].pop("DeviceIndex"),
        "InvalidParameter",
        "requires a device index",
    ),
    "no primary interface": (
        lambda g, d: d["NetworkInterfaces"].pop(0),
        "InvalidParameterCombination",
        "primary network interface",
    ),
    "unknown kind": (
        interfaces((1, {"InterfaceType": "efaonly"})),
        "InvalidParameterValue",
        "efaonly",
    ),
    "EFA on a type without": (
        small((0, {"InterfaceType": "efa"})),
        "UnsupportedOperation",
        "EFA interfaces are not supported on trn1.2xlarge",
    ),
    "EFA-only as primary": (
        interfaces((0, {"InterfaceType": "efa-only"}), (1, {"InterfaceType": "interface"})),
        "InvalidParameterCombination",
        "EFA-only network interface can't be the primary",
    ),
    "two EFA interfaces on a card": (
        interfaces((0, {"InterfaceType": "efa"})),
        "AttachmentLimitExceeded",
        "EFA interface count 17",
    ),
    "address on EFA-only": (
        interfaces((1, {"Ipv6AddressCount": 1})),
        "InvalidParameterCombination",
        "can't be assigned to an EFA-only",
    ),
    "public address with several interfaces": (
        interfaces((0, {"AssociatePublicIpAddress": True})),
        "InvalidParameterCombination",
        "cannot be specified when launching with multiple network interfaces",
    ),
    "unknown group": (
        interfaces((3, {"Groups": ["sg-0fedcba9876543210"]})),
        "InvalidGroup.NotFound",
        "The security group 'sg-0fedcba9876543210' does not exist",
    ),
    "group of another VPC": (
        interfaces((3, {"Groups": foreign_groups})),
        "InvalidParameter",
        "belong to different networks",
    ),
    "hop limit": (
        says(MetadataOptions={"HttpPutResponseHopLimit": 65}),
        "InvalidParameterValue",
        "HttpPutResponseHopLimit",
    ),
    "token setting": (
        says(MetadataOptions={"HttpTokens": "always"}),
        "InvalidParameterValue",
        "HttpTokens",
    ),
    "cores": (
        says(CpuOptions={"CoreCount": 97, "ThreadsPerCore": 1}),
        "InvalidParameterValue",
        "CoreCount",
    ),
    "threads": (
        says(CpuOptions={"CoreCount": 96, "ThreadsPerCore": 4}),
        "InvalidParameterValue",
        "ThreadsPerCore",
    ),
    "cores without threads": (
        says(CpuOptions={"CoreCount": 96}),
        "InvalidParameterCombination",
        "Both the core count and threads per core",
    ),
    "root volume smaller than the image": (
        root(VolumeSize=20),
        "InvalidBlockDeviceMapping",
        "Volume of size 20GB is smaller than snapshot",
    ),
    "device mapped twice": (
        says(BlockDeviceMappings=[{"DeviceName": "/dev/sdf", "Ebs": {"VolumeSize": 9}}] * 2),
        "InvalidBlockDeviceMapping",
        "more than one",
    ),
    "volume without size": (
        says(BlockDeviceMappings=[{"DeviceName": "/dev/sdf", "Ebs": {"VolumeType": "gp3"}}]),
        "MissingParameter",
        "size or snapshotId",
    ),
    "key without encryption": (
        root(VolumeSize=99, KmsKeyId="alias/nodes"),
        "InvalidParameterDependency",
        "KmsKeyId",
    ),
    "gp3 throughput for its IOPS": (
        root(VolumeSize=99, VolumeType="gp3", Iops=3000, Throughput=900),
        "InvalidParameterValue",
        "throughput",
    ),
    "gp3 IOPS for its size": (
        root(VolumeSize=45, VolumeType="gp3", Iops=40000),
        "InvalidParameterValue",
        "iops",
    ),
    "unknown placement group": (
        says(Placement={"GroupName": "far"}),
        "InvalidPlacementGroup.Unknown",
        "The Placement Group 'far' is unknown.",
    ),
    "placement group with a Capacity Block": (
        says(
            Placement={"GroupName": "close"},
            InstanceMarketOptions=BLOCK,
            CapacityReservationSpecification=target(),
        ),
        "InvalidParameterCombination",
        "Capacity Blocks do not support placement groups",
    ),
    "Capacity Block without a target": (
        says(InstanceMarketOptions=BLOCK),
        "InvalidParameterCombination",
        "target must be specified",
    ),
    "Spot with a reservation": (
        says(InstanceMarketOptions=SPOT, CapacityReservationSpecification=target()),
        "InvalidParameterCombination",
        "Spot Instances can't be launched into a Capacity Reservation",
    ),
    "Spot options of a block": (
        says(
            InstanceMarketOptions={**BLOCK, "SpotOptions": {"MaxPrice": "1"}},
            CapacityReservationSpecification=target(),
        ),
        "InvalidParameterCombination",
        "Spot options",
    ),
    "Spot price": (
        says(InstanceMarketOptions={**SPOT, "SpotOptions": {"MaxPrice": "cheap"}}),
        "InvalidParameterValue",
        "MaxPrice",
    ),
    "market": (
        says(InstanceMarketOptions={"MarketType": "block"}),
        "InvalidParameterValue",
        "MarketType",
    ),
    "target against the preference": (
        says(
            CapacityReservationSpecification=target(CapacityReservationPreference="open"),
        ),
        "InvalidParameterCombination",
        "preference is open",
    ),
    "unknown preference": (
        says(CapacityReservationSpecification={"CapacityReservationPreference": "first"}),
        "InvalidParameterValue",
        "CapacityReservationPreference",
    ),
    "unknown key pair": (says(KeyName="mine"), "InvalidKeyPair.NotFound", "mine"),
    "unknown instance profile": (
        says(IamInstanceProfile={"Name": "others"}),
        "InvalidParameterValue",
        "Invalid IAM Instance Profile name",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_launch_is_refused_with_the_code_and_the_message_of_ec2(ground, name):
    change, code, message = REFUSED[name]
    data = ground.data()
    change(ground, data)
    told = refusal(lambda: ground.run(data))
    assert (told[0], message in told[1]) == (code, True), told
    assert ground.instances() == []


@pytest.mark.parametrize("name", REFUSED)
def test_an_auto_scaling_group_of_that_template_is_refused_even_without_instances(ground, name):
    change, _, message = REFUSED[name]
    data = ground.data(subnet=False)
    change(ground, data)
    code, told = refusal(lambda: ground.group_of(data, size=0))
    assert code == "ValidationError"
    assert told.startswith("You must use a valid fully-formed launch template. ")
    assert message in told
    assert ground.scaling.describe_auto_scaling_groups()["AutoScalingGroups"] == []


def test_groups_beside_interfaces_are_refused_by_both_services_in_their_own_words(ground):
    data = ground.data(subnet=False, SecurityGroupIds=[ground.group])
    assert refusal(lambda: ground.group_of(data, size=0)) == (
        "InvalidQueryParameter",
        "Invalid launch template: When a network interface is provided, the security groups must "
        "be a part of it.",
    )
    told = refusal(lambda: ground.run(ground.data(SecurityGroupIds=[ground.group])))
    assert told[0] == "InvalidParameterCombination"


def test_a_subnet_beside_interfaces_is_refused(ground):
    code, message = refusal(lambda: ground.run(ground.data(), SubnetId=ground.subnet))
    assert code == "InvalidParameterCombination"
    assert "instance-level subnet ID" in message


def test_a_subnet_that_assigns_public_addresses_takes_one_interface_only(ground):
    ground.ec2.modify_subnet_attribute(SubnetId=ground.subnet, MapPublicIpOnLaunch={"Value": True})
    code, _ = refusal(lambda: ground.run(ground.data()))
    assert code == "InvalidParameterCombination"
    asked = ground.interfaces()
    asked[0]["AssociatePublicIpAddress"] = False
    (instance,) = ground.run(ground.data(NetworkInterfaces=asked))
    assert "PublicIpAddress" not in instance
    (instance,) = ground.run(ground.data(NetworkInterfaces=ground.interfaces()[:1]))
    assert instance["PublicIpAddress"]


@pytest.mark.parametrize(("size", "code"), [(16384, None), (16385, "InvalidUserData.Malformed")])
def test_user_data_may_have_16_kib_before_base64(ground, size, code):
    data = ground.data(UserData=base64.b64encode(b"x" * size).decode())
    if code is None:
        ground.template(data)
    else:
        assert refusal(lambda: ground.template(data)) == (
            code,
            "User data is limited to 16384 bytes",
        )


def test_user_data_of_a_request_is_limited_too(ground):
    code, message = refusal(lambda: ground.run(ground.data(), UserData="x" * 16385))
    assert (code, message) == ("InvalidParameterValue", "User data is limited to 16384 bytes")


def test_user_data_that_is_not_base64_is_refused(ground):
    code, message = refusal(lambda: ground.template(ground.data(UserData="#!/bin/bash")))
    assert (code, message) == (
        "InvalidUserData.Malformed",
        "Invalid BASE64 encoding of user data.",
    )


def test_a_version_that_a_template_has_not_is_refused(ground):
    template = ground.template(ground.data())
    for version in ("9", "latest"):
        named = {"LaunchTemplateId": template, "Version": version}
        code, message = refusal(
            lambda named=named: ground.ec2.run_instances(
                LaunchTemplate=named, MinCount=1, MaxCount=1
            )
        )
        assert code == "InvalidLaunchTemplateId.VersionNotFound"
        assert f"version {version}" in message
