"""Rules about EKS node groups: what they may be given, and with what capacity."""

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.eks_templates import (
    AMI,
    EKS_IMAGE,
    NODE_CONFIG,
    SCRIPT,
    cluster,
    config,
    encoded,
    joined,
    managed,
    mime,
    own_image,
    plain,
    shell,
    subbed,
    with_template,
)
from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import (
    Body,
    group,
    interface,
    nodes,
    older,
    template,
)

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
SOMETIMES = {"Fn::If": ["Sometimes", "a", {"Ref": "AWS::NoValue"}]}
PARAMETER = {"Ref": "Given"}
TRN2 = "trn2.48xlarge"
SMALL = "trn2.3xlarge"
Row = tuple[str, str, Body, list[str]]


def other(body: Body, **more: Any) -> Body:
    """A template with further top-level sections or resources."""
    resources = {**body["Resources"], **more.pop("Resources", {})}
    return {**body, **more, "Resources": resources}


def on_subnets(*interfaces: Body) -> list[Body]:
    return [{**entry, "SubnetId": "subnet-1"} for entry in interfaces]


REFUSED: list[Row] = [
    (
        "EFA-08 subnets in the interfaces",
        "TRN550",
        with_template(managed(), interfaces=on_subnets(*older(16))),
        E,
    ),
    (
        "EFA-08 a subnet that is a reference",
        "TRN550",
        with_template(managed(), interfaces=[interface(0, 0, "efa", SubnetId={"Ref": "Subnet"})]),
        E,
    ),
    (
        "EFA-08 a subnet that is an import",
        "TRN550",
        with_template(
            managed(), interfaces=[interface(0, 0, "efa", SubnetId={"Fn::ImportValue": "s"})]
        ),
        E,
    ),
    (
        "EFA-08 a subnet under a condition",
        "TRN550",
        with_template(managed(), interfaces=[interface(0, 0, "efa", SubnetId=SOMETIMES)]),
        [],
    ),
    (
        "EFA-08 interfaces without subnets",
        "TRN550",
        with_template(managed(), interfaces=older(16)),
        [],
    ),
    (
        "EFA-08 of a type of no concern to Neuron",
        "TRN550",
        with_template(
            managed(AmiType="AL2023_x86_64_STANDARD"),
            "m5.large",
            interfaces=[{"DeviceIndex": 0, "Groups": ["sg-1"]}],
        ),
        [],
    ),
    (
        "AMI-14 a profile",
        "TRN550",
        with_template(managed(), IamInstanceProfile={"Name": "nodes"}),
        E,
    ),
    (
        "AMI-14 a profile by its ARN",
        "TRN550",
        with_template(managed(), IamInstanceProfile={"Arn": {"Fn::GetAtt": ["P", "Arn"]}}),
        E,
    ),
    ("AMI-14 no profile", "TRN550", with_template(managed()), []),
    (
        "AMI-14 a profile that is NoValue",
        "TRN550",
        with_template(managed(), IamInstanceProfile={"Ref": "AWS::NoValue"}),
        [],
    ),
    (
        "AMI-14 a profile for an Auto Scaling group",
        "TRN550",
        template(Nodes=nodes(TRN2, IamInstanceProfile={"Name": "n"}), Group=group(["subnet-1"])),
        [],
    ),
    (
        "AMI-14 data under a condition",
        "TRN550",
        template(
            Group=managed(),
            Nodes=(
                "AWS::EC2::LaunchTemplate",
                {
                    "LaunchTemplateData": {
                        "Fn::If": ["Sometimes", {"IamInstanceProfile": {"Name": "n"}}, {}]
                    }
                },
            ),
        ),
        [],
    ),
    (
        "EKS requirements",
        "TRN550",
        with_template(managed(), None, InstanceRequirements={"VCpuCount": {"Min": 1}}),
        W,
    ),
    (
        "EKS no hibernation",
        "TRN550",
        with_template(managed(), HibernationOptions={"Configured": False}),
        [],
    ),
    (
        "EKS hibernation",
        "TRN550",
        with_template(managed(), HibernationOptions={"Configured": True}),
        E,
    ),
    (
        "EKS shutdown behaviour",
        "TRN550",
        with_template(managed(), InstanceInitiatedShutdownBehavior="terminate"),
        E,
    ),
    (
        "EKS two faults",
        "TRN550",
        with_template(
            managed(), IamInstanceProfile={"Name": "n"}, interfaces=on_subnets(*older(16))
        ),
        [*E, *E],
    ),
    ("AMI-11 type in both", "TRN551", with_template(managed(InstanceTypes=[TRN2])), E),
    ("AMI-11 type in the group", "TRN551", with_template(managed(InstanceTypes=[TRN2]), None), []),
    ("AMI-11 type in the template", "TRN551", with_template(managed()), []),
    ("AMI-11 an empty list of types", "TRN551", with_template(managed(InstanceTypes=[])), []),
    (
        "AMI-11 types under a condition",
        "TRN551",
        with_template(managed(InstanceTypes=SOMETIMES)),
        [],
    ),
    ("AMI-11 disk beside a template", "TRN551", with_template(managed(DiskSize=500)), E),
    (
        "AMI-11 disk beside a template elsewhere",
        "TRN551",
        template(Group=managed(DiskSize=500, LaunchTemplate={"Id": "lt-0123456789abcdef0"})),
        E,
    ),
    (
        "AMI-11 disk without template",
        "TRN551",
        template(Group=managed(DiskSize=500, LaunchTemplate=None, InstanceTypes=[TRN2])),
        [],
    ),
    (
        "AMI-11 key beside a template",
        "TRN551",
        with_template(managed(RemoteAccess={"Ec2SshKey": "k"})),
        E,
    ),
    (
        "AMI-11 disk in the template",
        "TRN551",
        with_template(
            managed(), BlockDeviceMappings=[{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 500}}]
        ),
        [],
    ),
    (
        "AMI-10 version with image",
        "TRN552",
        with_template(managed(AmiType=None, Version="1.33"), ImageId=AMI),
        E,
    ),
    (
        "AMI-10 release with image",
        "TRN552",
        with_template(managed(AmiType=None, ReleaseVersion="1.33.0-20260714"), ImageId=PARAMETER),
        E,
    ),
    ("AMI-10 AMI type with image", "TRN552", with_template(managed(), ImageId=AMI), E),
    (
        "AMI-10 all three with image",
        "TRN552",
        with_template(managed(Version="1.33", ReleaseVersion="r"), ImageId=AMI),
        [*E, *E, *E],
    ),
    (
        "AMI-10 CUSTOM with image",
        "TRN552",
        with_template(managed(AmiType="CUSTOM"), ImageId=AMI),
        [],
    ),
    ("AMI-10 nothing with image", "TRN552", with_template(managed(AmiType=None), ImageId=AMI), []),
    ("AMI-10 version without image", "TRN552", with_template(managed(Version="1.33")), []),
    (
        "AMI-10 version, image under a condition",
        "TRN552",
        with_template(managed(Version="1.33"), ImageId=SOMETIMES),
        [],
    ),
    (
        "AMI-10 version under a condition",
        "TRN552",
        with_template(managed(AmiType=None, Version=SOMETIMES), ImageId=AMI),
        [],
    ),
    ("AMI-10 CUSTOM without image", "TRN552", with_template(managed(AmiType="CUSTOM")), E),
    (
        "AMI-10 CUSTOM without template",
        "TRN552",
        template(Group=managed(AmiType="CUSTOM", LaunchTemplate=None)),
        E,
    ),
    (
        "AMI-10 CUSTOM, template elsewhere",
        "TRN552",
        template(Group=managed(AmiType="CUSTOM", LaunchTemplate={"Id": "lt-0123456789abcdef0"})),
        [],
    ),
    (
        "EKS resolve:ssm at launch",
        "TRN552",
        with_template(managed(AmiType=None), ImageId=f"resolve:ssm:{EKS_IMAGE}"),
        W,
    ),
    (
        "EKS resolve:ssm at deployment",
        "TRN552",
        with_template(managed(AmiType=None), ImageId=f"{{{{resolve:ssm:{EKS_IMAGE}:7}}}}"),
        [],
    ),
    ("AMI-05 no AMI type", "TRN553", with_template(managed(AmiType=None)), W),
    (
        "AMI-05 no AMI type, no template",
        "TRN553",
        template(Group=managed(AmiType=None, LaunchTemplate=None, InstanceTypes=[TRN2])),
        W,
    ),
    (
        "AMI-05 no AMI type, template elsewhere",
        "TRN553",
        template(Group=managed(AmiType=None, LaunchTemplate={"Id": "lt-0"}, InstanceTypes=[TRN2])),
        [],
    ),
    ("AMI-05 the CDK's AMI type", "TRN553", with_template(managed(AmiType="AL2_x86_64_GPU")), W),
    (
        "AMI-05 the CDK's AMI type, later Kubernetes",
        "TRN553",
        with_template(managed(AmiType="AL2_x86_64_GPU", Version="1.33")),
        E,
    ),
    (
        "AMI-05 the CDK's AMI type, earlier Kubernetes",
        "TRN553",
        with_template(managed(AmiType="AL2_x86_64_GPU", Version="1.31")),
        W,
    ),
    (
        "AMI-05 the CDK's AMI type, version of the cluster",
        "TRN553",
        other(
            with_template(managed(AmiType="AL2_x86_64_GPU", ClusterName={"Ref": "Cluster"})),
            Resources={"Cluster": cluster(Version="1.34")},
        ),
        E,
    ),
    ("AMI-05 Neuron", "TRN553", with_template(managed()), []),
    ("AMI-05 Bottlerocket", "TRN553", with_template(managed(AmiType="BOTTLEROCKET_x86_64")), []),
    (
        "AMI-05 Bottlerocket for NVIDIA",
        "TRN553",
        with_template(managed(AmiType="BOTTLEROCKET_x86_64_NVIDIA")),
        E,
    ),
    ("AMI-05 standard", "TRN553", with_template(managed(AmiType="AL2023_x86_64_STANDARD")), E),
    (
        "AMI-05 standard, the driver installed",
        "TRN553",
        with_template(
            managed(AmiType="AL2023_x86_64_STANDARD"),
            UserData=plain(shell("dnf install -y aws-neuronx-dkms")),
        ),
        [],
    ),
    ("AMI-05 ARM", "TRN553", with_template(managed(AmiType="AL2023_ARM_64_STANDARD")), E),
    ("AMI-05 Windows", "TRN553", with_template(managed(AmiType="WINDOWS_CORE_2022_x86_64")), E),
    (
        "AMI-05 of other types",
        "TRN553",
        with_template(managed(AmiType="AL2023_x86_64_NVIDIA"), "p5.48xlarge"),
        [],
    ),
    (
        "AMI-05 of types not known",
        "TRN553",
        with_template(
            managed(AmiType="AL2023_x86_64_NVIDIA", InstanceTypes=[PARAMETER, TRN2]), None
        ),
        [],
    ),
    (
        "AMI-05 an AMI type of tomorrow",
        "TRN553",
        with_template(managed(AmiType="AL2027_x86_64_NEURON")),
        [],
    ),
    ("AMI-05 own image", "TRN553", with_template(managed(AmiType=None), ImageId=AMI), []),
]

BLOCK = {
    "InstanceMarketOptions": {"MarketType": "capacity-block"},
    "CapacityReservationSpecification": {
        "CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef0"}
    },
}
TARGET = {"CapacityReservationSpecification": BLOCK["CapacityReservationSpecification"]}
SPOT = {"InstanceMarketOptions": {"MarketType": "spot"}}


def sized(least: Any, most: Any, wanted: Any, **more: Any) -> Body:
    return managed(ScalingConfig={"MinSize": least, "MaxSize": most, "DesiredSize": wanted}, **more)


CAPACITY: list[Row] = [
    (
        "CAP-01 a block",
        "TRN560",
        with_template(managed(CapacityType="CAPACITY_BLOCK"), **BLOCK),
        [],
    ),
    (
        "CAP-01 a block, group on demand",
        "TRN560",
        with_template(managed(CapacityType="ON_DEMAND"), **BLOCK),
        E,
    ),
    ("CAP-01 a block, group without type", "TRN560", with_template(managed(), **BLOCK), E),
    (
        "CAP-01 a block, group to come",
        "TRN560",
        with_template(managed(CapacityType=PARAMETER), **BLOCK),
        [],
    ),
    (
        "CAP-01 a block, group spot",
        "TRN560",
        with_template(managed(CapacityType="SPOT"), **BLOCK),
        E,
    ),
    (
        "CAP-01 a block without template",
        "TRN560",
        template(
            Group=managed(CapacityType="CAPACITY_BLOCK", LaunchTemplate=None, InstanceTypes=[TRN2])
        ),
        E,
    ),
    (
        "CAP-01 a block, template elsewhere",
        "TRN560",
        template(Group=managed(CapacityType="CAPACITY_BLOCK", LaunchTemplate={"Id": "lt-0"})),
        [],
    ),
    (
        "CAP-01 a block, type in the group",
        "TRN560",
        with_template(managed(CapacityType="CAPACITY_BLOCK", InstanceTypes=[TRN2]), None, **BLOCK),
        E,
    ),
    (
        "CAP-01 a block, another market",
        "TRN560",
        with_template(managed(CapacityType="CAPACITY_BLOCK"), **{**BLOCK, **SPOT}),
        E,
    ),
    (
        "CAP-01 a block, neither market nor target",
        "TRN560",
        with_template(managed(CapacityType="CAPACITY_BLOCK")),
        E,
    ),
    (
        "CAP-01 a block, its size",
        "TRN560",
        with_template(sized(0, 64, 65, CapacityType="CAPACITY_BLOCK"), **BLOCK),
        E,
    ),
    (
        "CAP-01 a block, room to spare",
        "TRN560",
        with_template(sized(0, 128, 64, CapacityType="CAPACITY_BLOCK"), **BLOCK),
        [],
    ),
    ("CAP spot in the template", "TRN560", with_template(managed(CapacityType="SPOT"), **SPOT), E),
    ("CAP spot in the group", "TRN560", with_template(managed(CapacityType="SPOT")), []),
    (
        "CAP spot with a reservation",
        "TRN560",
        with_template(managed(CapacityType="SPOT"), **TARGET),
        E,
    ),
    (
        "CAP a reservation on demand",
        "TRN560",
        with_template(managed(CapacityType="ON_DEMAND"), **TARGET),
        [],
    ),
    (
        "CAP a block of Auto Scaling",
        "TRN560",
        template(Nodes=nodes(TRN2, **BLOCK), Group=group(["subnet-1"])),
        [],
    ),
    ("sizes", "TRN561", with_template(sized(0, 4, 4)), []),
    ("sizes of texts", "TRN561", with_template(sized("0", "4", "8")), E),
    ("sizes: desired above", "TRN561", with_template(sized(0, 4, 8)), E),
    ("sizes: desired below", "TRN561", with_template(sized(2, 4, 1)), E),
    ("sizes: least above most", "TRN561", with_template(sized(8, 4, None)), E),
    ("sizes to come", "TRN561", with_template(sized(PARAMETER, 4, PARAMETER)), []),
    ("sizes left out", "TRN561", with_template(managed(ScalingConfig={"MaxSize": 4})), []),
    (
        "unavailable by number and share",
        "TRN561",
        with_template(managed(UpdateConfig={"MaxUnavailable": 1, "MaxUnavailablePercentage": 10})),
        E,
    ),
    (
        "update of reserved nodes",
        "TRN562",
        with_template(managed(CapacityType="CAPACITY_BLOCK"), **BLOCK),
        I,
    ),
    (
        "update of reserved nodes, default",
        "TRN562",
        with_template(
            managed(UpdateConfig={"MaxUnavailable": 1, "UpdateStrategy": "DEFAULT"}), **TARGET
        ),
        I,
    ),
    (
        "update of reserved nodes, minimal",
        "TRN562",
        with_template(
            managed(UpdateConfig={"MaxUnavailable": 1, "UpdateStrategy": "MINIMAL"}), **TARGET
        ),
        [],
    ),
    ("update of other nodes", "TRN562", with_template(managed()), []),
]


ROWS = [*REFUSED, *CAPACITY]


@pytest.mark.parametrize(
    ("rule_id", "body", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_a_template_is_judged(rule_id: str, body: Body, expected: list[str]):
    assert severities(rule_id, judge_template(body)) == expected


@pytest.mark.parametrize("parameter", [{"Type": "String", "Default": "ON_DEMAND"}])
def test_what_rests_on_a_default_is_a_warning(parameter: Body):
    body = with_template(managed(CapacityType=PARAMETER), **BLOCK)
    (found,) = of_rule("TRN560", judge_template({**body, "Parameters": {"Given": parameter}}))
    assert found.severity.value == "warning"
    assert found.message.endswith("(with the parameters' defaults)")


RIGHT = {
    "EKS's image": with_template(managed(), interfaces=older(16), UserData=plain(shell())),
    "EKS's image, types in the group": with_template(
        managed(InstanceTypes=[TRN2]), None, interfaces=older(16)
    ),
    "own image": own_image(
        subbed(config(NODE_CONFIG.replace("training", "${Cluster}"))), interfaces=older(16)
    ),
    "own image and a script": own_image(
        joined(mime(("application/node.eks.aws", NODE_CONFIG), ("text/x-shellscript", SCRIPT)))
    ),
    "Bottlerocket": with_template(
        managed(AmiType="BOTTLEROCKET_x86_64"),
        UserData=plain('[settings.kubernetes]\n"device-ownership-from-security-context" = true\n'),
    ),
    "another type": with_template(managed(AmiType="AL2023_x86_64_STANDARD"), "m7i.large"),
    "no launch template": template(
        Group=managed(LaunchTemplate=None, InstanceTypes=["trn1.2xlarge"], DiskSize=512)
    ),
    "self-managed": template(
        Group=group(["subnet-1"]),
        Nodes=nodes(
            TRN2,
            older(16),
            ImageId=f"resolve:ssm:{EKS_IMAGE}",
            IamInstanceProfile={"Name": "n"},
            UserData=encoded(config()),
        ),
    ),
    "a block": with_template(
        sized(
            0,
            16,
            0,
            CapacityType="CAPACITY_BLOCK",
            UpdateConfig={"MaxUnavailable": 1, "UpdateStrategy": "MINIMAL"},
        ),
        **BLOCK,
    ),
    "everything imported": with_template(
        managed(
            ClusterName={"Fn::ImportValue": "c"},
            Subnets=[{"Fn::ImportValue": "s"}],
            NodeRole={"Fn::ImportValue": "r"},
        ),
        interfaces=[interface(0, 0, "efa", Groups=[{"Fn::ImportValue": "g"}])],
    ),
    "everything a parameter": with_template(
        managed(
            AmiType={"Ref": "P"},
            CapacityType={"Ref": "P"},
            Subnets={"Ref": "P"},
            Version={"Ref": "P"},
        ),
        {"Ref": "P"},
        UserData={"Fn::Base64": {"Ref": "P"}},
    ),
    "everything under a condition": with_template(
        managed(
            AmiType=SOMETIMES, LaunchTemplate=SOMETIMES, DiskSize=SOMETIMES, InstanceTypes=SOMETIMES
        ),
        ImageId=SOMETIMES,
        IamInstanceProfile=SOMETIMES,
        UserData=SOMETIMES,
    ),
}


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_right_templates_are_left_alone(body: Body):
    ours = [f for f in judge_template(body) if f.rule_id.startswith(("TRN55", "TRN56"))]
    assert [(f.rule_id, f.message) for f in ours] == []
