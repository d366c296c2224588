"""TrainiumLaunchTemplate: all interfaces, in the right slots, and nothing EC2 refuses."""

from __future__ import annotations

import dataclasses

import pytest
from aws_cdk import Tags

from constructs_lib.compute import (
    ClusterPlacementGroup,
    MachineImage,
    NodeAutoScalingGroup,
    NodeBoot,
    NodeRole,
    TrainiumLaunchTemplate,
)
from trnkit.catalog import NetworkCard, instance_type, instance_type_names
from trnkit.errors import ConstructError

IMAGE = MachineImage(image_id="ami-0123456789abcdef0")


@pytest.fixture
def make(stack, security_group):
    def template(**options):
        options = {"instance_type": "trn2.48xlarge", "image": IMAGE} | options
        return TrainiumLaunchTemplate(
            stack,
            "LaunchTemplate",
            security_groups=[security_group],
            instance_profile=NodeRole(stack, "NodeRole").instance_profile,
            **options,
        )

    return template


@pytest.fixture
def data(resources):
    def launch_template_data():
        (template,) = resources("AWS::EC2::LaunchTemplate").values()
        return template["Properties"]["LaunchTemplateData"]

    return launch_template_data


def slots(data):
    return [
        (i["NetworkCardIndex"], i["DeviceIndex"], i["InterfaceType"])
        for i in data["NetworkInterfaces"]
    ]


def test_efa_02_trn2_48xlarge_has_all_sixteen(make, data):
    make()
    assert slots(data()) == [
        (0, 0, "interface"),
        (0, 1, "efa-only"),
        *((card, 0, "efa-only") for card in range(1, 16)),
    ]


@pytest.mark.parametrize(
    ("name", "efa", "interfaces"),
    [
        ("trn1.2xlarge", 0, 1),
        ("trn1.32xlarge", 8, 9),
        ("trn1n.32xlarge", 16, 17),
        ("trn2.3xlarge", 1, 2),
        ("trn2.48xlarge", 16, 17),
        ("trn2u.48xlarge", 16, 17),
        ("inf2.48xlarge", 0, 1),
    ],
)
def test_efa_01_04_10_interfaces_by_type(make, data, name, efa, interfaces):
    make(instance_type=name)
    kinds = [kind for _, _, kind in slots(data())]
    assert len(kinds) == interfaces
    assert sum(kind in ("efa", "efa-only") for kind in kinds) == efa


@pytest.mark.parametrize("layout", ["ena-primary", "efa-primary", "all-efa"])
def test_efa_03_every_layout_has_sixteen_and_an_addressed_primary(make, data, layout):
    make(efa_layout=layout)
    planned = slots(data())
    assert sum(kind != "interface" for *_, kind in planned) == 16
    assert planned[0][:2] == (0, 0)
    assert planned[0][2] != "efa-only"


def test_efa_06_07_groups_on_every_interface_and_no_public_address(make, data):
    make()
    launch = data()
    assert "SecurityGroupIds" not in launch
    assert "SecurityGroups" not in launch
    for interface in launch["NetworkInterfaces"]:
        assert interface["Groups"] == ["sg-0123456789abcdef0"]
        assert interface["DeleteOnTermination"] is True
        assert interface.get("AssociatePublicIpAddress", False) is False
        if interface["InterfaceType"] == "efa-only":
            assert "AssociatePublicIpAddress" not in interface
        assert "SubnetId" not in interface


def test_efa_04_a_type_of_ones_own_with_a_plain_first_card(make, data):
    cards = tuple(
        NetworkCard(index=i, maximum_network_interfaces=2, efa_supported=i > 0) for i in range(17)
    )
    future = dataclasses.replace(
        instance_type("trn2.48xlarge"),
        name="trn9.96xlarge",
        network_cards=cards,
        maximum_efa_interfaces=16,
    )
    make(instance_type=future)
    assert slots(data()) == [(0, 0, "interface"), *((c, 0, "efa-only") for c in range(1, 17))]
    assert data()["InstanceType"] == "trn9.96xlarge"


def test_efa_13_14_the_template_is_complete_in_itself(make, data):
    make()
    launch = data()
    assert {"InstanceType", "ImageId", "NetworkInterfaces", "IamInstanceProfile"} <= set(launch)
    assert not [key for key in launch if "_" in key or key[0].islower()]


def test_ami_12_tokens_are_required_and_reach_containers(make, data):
    make()
    options = data()["MetadataOptions"]
    assert options["HttpTokens"] == "required"
    assert options["HttpPutResponseHopLimit"] == 2


@pytest.mark.parametrize("device", ["/dev/sda1", "/dev/xvda"])
def test_ami_02_one_encrypted_root_volume_under_the_images_own_name(make, data, device):
    make(image=dataclasses.replace(IMAGE, root_device_name=device), root_volume_size_gib=600)
    (mapping,) = data()["BlockDeviceMappings"]
    assert mapping == {
        "DeviceName": device,
        "Ebs": {
            "VolumeSize": 600,
            "VolumeType": "gp3",
            "Encrypted": True,
            "DeleteOnTermination": True,
        },
    }


def test_bud_11_tags_of_any_parent_reach_the_machines(make, stack, data):
    template = make()
    Tags.of(stack).add("trnkit-cluster", "pretrain")
    Tags.of(template).add("Price$", "a{b}$c:d")
    specifications = data()["TagSpecifications"]
    assert {s["ResourceType"] for s in specifications} == {
        "instance",
        "volume",
        "network-interface",
    }
    for specification in specifications:
        tags = {tag["Key"]: tag["Value"] for tag in specification["Tags"]}
        assert tags == {"trnkit-cluster": "pretrain", "Price$": "a{b}$c:d"}


def test_without_tags_there_is_no_empty_specification(make, data):
    make()
    assert "TagSpecifications" not in data()


def test_placement_group_only_when_given(make, stack, data):
    make(placement_group=ClusterPlacementGroup(stack, "Placement").placement_group)
    assert "Ref" in data()["Placement"]["GroupName"]


def test_ami_06_user_data_is_the_boot_script(make, data):
    make(boot=NodeBoot(logical_neuroncore_size=2))
    text = data()["UserData"]["Fn::Base64"]
    assert text.startswith("Content-Type: multipart/mixed; boundary=")
    assert "      TRNKIT_LNC=2\n" in text
    assert len(text.encode()) < 16384


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"instance_type": "trn2.48xlrage"}, "use trn2.48xlarge", id="typo"),
        pytest.param(
            {"efa_interfaces": 17}, "has 16 EFA interfaces, 17 were asked for", id="too-many"
        ),
        pytest.param(
            {"instance_type": "trn1.2xlarge", "efa_interfaces": 1},
            "has 0 EFA interfaces, 1 were asked for",
            id="EFA-10",
        ),
    ],
)
def test_fails_when_the_type_cannot(make, options, message):
    with pytest.raises(ConstructError, match=message):
        make(**options)


def test_fails_when_there_is_no_security_group(stack):
    with pytest.raises(ConstructError, match="at least one group"):
        TrainiumLaunchTemplate(
            stack,
            "LaunchTemplate",
            instance_type="trn2.48xlarge",
            image=IMAGE,
            security_groups=[],
            instance_profile=None,
        )


@pytest.mark.parametrize("image_id", ["ami-123", "latest", "", "AMI-0123456789abcdef0"])
def test_fails_when_the_image_id_has_another_form(image_id):
    with pytest.raises(ConstructError, match="image_id must be"):
        MachineImage(image_id=image_id)


def test_ami_09_the_group_follows_the_version_number_and_stays_in_one_subnet(
    make, stack, subnet, resources
):
    NodeAutoScalingGroup(stack, "Nodes", launch_template=make(), subnet=subnet, desired_capacity=0)
    (group,) = resources("AWS::AutoScaling::AutoScalingGroup").values()
    properties = group["Properties"]
    version = properties["LaunchTemplate"]["Version"]
    assert version["Fn::GetAtt"][1] == "LatestVersionNumber"
    assert properties["VPCZoneIdentifier"] == ["subnet-0123456789abcdef0"]
    assert (properties["MinSize"], properties["MaxSize"], properties["DesiredCapacity"]) == (
        "0",
        "0",
        "0",
    ), "HOST-16: zero is a number"
    assert "MixedInstancesPolicy" not in properties


def test_fails_when_the_group_is_negative(make, stack, subnet):
    with pytest.raises(ConstructError, match="got -1"):
        NodeAutoScalingGroup(
            stack, "Nodes", launch_template=make(), subnet=subnet, desired_capacity=-1
        )


def test_every_type_of_the_catalogue_can_be_built(stack, security_group):
    for name in instance_type_names():
        template = TrainiumLaunchTemplate(
            stack,
            name.replace(".", "-"),
            instance_type=name,
            image=IMAGE,
            security_groups=[security_group],
            instance_profile=None,
        )
        efa = sum(interface.is_efa for interface in template.interfaces)
        assert efa == instance_type(name).maximum_efa_interfaces, name


def test_the_role_reaches_people_through_session_manager_only(stack, resources):
    NodeRole(stack, "NodeRole")
    (role,) = resources("AWS::IAM::Role").values()
    assert "Policies" not in role["Properties"]
    (policy,) = role["Properties"]["ManagedPolicyArns"]
    assert policy["Fn::Join"][1][-1].endswith("policy/AmazonSSMManagedInstanceCore")
    statement = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert [s["Principal"] for s in statement] == [{"Service": "ec2.amazonaws.com"}]


def test_an_existing_role_is_used_and_not_copied(stack, resources):
    from aws_cdk import aws_iam as iam

    theirs = iam.Role.from_role_arn(stack, "Theirs", "arn:aws:iam::111122223333:role/nodes")
    NodeRole(stack, "NodeRole", role=theirs)
    assert not resources("AWS::IAM::Role")
