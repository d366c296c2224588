"""Rules about the images that templates name: that they exist, fit, stay, and have room."""

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.eks_templates import AMI, managed, plain, with_template
from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import Body, group, nodes, template
from trnkit.rules import StackSet, Template
from trnkit.rules.judging.image_parameters import misnamed
from trnkit.rules.reading.machine_images import image_parameter
from trnkit.rules.reading.template_value import properties_of

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
TRN1, TRN2 = "trn1.32xlarge", "trn2.48xlarge"
NEURON = "/aws/service/neuron/dlami"
BASE = f"{NEURON}/base/ubuntu-24.04/latest/image_id"
EKS = "/aws/service/eks/optimized-ami"
EKS_NEURON = f"{EKS}/1.33/amazon-linux-2023/x86_64/neuron/recommended/image_id"
ECS = "/aws/service/ecs/optimized-ami"
SOMETIMES = {"Fn::If": ["Sometimes", "a", "b"]}
Row = tuple[str, str, Body, list[str]]


def at_launch(name: str) -> str:
    return f"resolve:ssm:{name}"


def at_deployment(name: str) -> str:
    return f"{{{{resolve:ssm:{name}}}}}"


def image(value: Any, kind: str = TRN2, **data: Any) -> Body:
    return template(Nodes=nodes(kind, ImageId=value, **data))


def given(
    name: Any, kind: str = "AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>", **data: Any
) -> Body:
    """A launch template whose image is a template parameter with a default."""
    return {
        **image({"Ref": "Image"}, **data),
        "Parameters": {"Image": {"Type": kind, "Default": name}},
    }


def filled(pattern: str) -> Body:
    return {"Fn::Sub": at_deployment(pattern)}


NAMES: list[Row] = [
    *[
        (f"AMI-01 {name}", "TRN269", image(make(name)), E)
        for make in (at_launch, at_deployment)
        for name in (
            f"{NEURON}/pytorch-2.5/latest/ami-id",
            f"{NEURON}/pytorch-2.5/latest/image_id",
            f"{NEURON}/base/ubuntu-24.04/latest",
            f"{NEURON}/base/ubuntu-24.04/latest/ami_id",
            f"{NEURON}/base/al2023/latest/image_id",
            "/service/neuron/dlami/base/ubuntu-24.04/latest/image_id",
            f"{EKS}/1.33/amazon-linux-2023/neuron/recommended/image_id",
            f"{EKS}/1.33/amazon-linux-2023/recommended/image_id",
            f"{EKS}/1.33/amazon-linux-2023/x86_64/neuron/recommended",
            f"{EKS}/1.33/amazon-linux-2023/arm64/neuron/recommended/image_id",
            f"{EKS}/1.33/amazon-linux-2-neuron/recommended/image_id",
            f"{EKS}/amazon-linux-2023/x86_64/neuron/recommended/image_id",
            f"{ECS}/amazon-linux-2023/neuron/recommended",
            f"{ECS}/amazon-linux-2023/x86_64/neuron/recommended/image_id",
            "/aws/service/bottlerocket/aws-k8s-1.33/x86_64/latest",
        )
    ],
    *[
        (f"AMI-01 right: {name}", "TRN269", image(make(name)), [])
        for make in (at_launch, at_deployment)
        for name in (
            BASE,
            f"{BASE}:3",
            f"{NEURON}/jax-0.10/amazon-linux-2023/latest/image_id",
            f"{NEURON}/pytorch-2.9/ubuntu-24.04/latest/image_id",
            f"{NEURON}/something-new/ubuntu-26.04/latest/image_id",
            EKS_NEURON,
            f"{EKS}/1.33/amazon-linux-2023/x86_64/neuron/amazon-eks-node-al2023-x86_64-neuron-1.33-v20260714/image_id",
            f"{EKS}/1.32/amazon-linux-2-gpu/recommended/image_id",
            f"{ECS}/amazon-linux-2023/neuron/recommended/image_id",
            "/aws/service/bottlerocket/aws-k8s-1.33/x86_64/latest/image_id",
            "/aws/service/pcs/ami/dlami-base-ubuntu2404/x86_64/latest/ami-id",
            "/aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id",
            "/ours/golden/trainium",
            "arn:aws:ssm:us-east-2:123456789012:parameter/ours/golden",
        )
    ],
    ("AMI-01 an id", "TRN269", image(AMI), []),
    ("AMI-01 a reference", "TRN269", image({"Ref": "Image"}), []),
    ("AMI-01 a condition", "TRN269", image(SOMETIMES), []),
    (
        "AMI-01 an end that is wrong, a middle to come",
        "TRN269",
        image(filled(f"{EKS}/${{V}}/amazon-linux-2023/x86_64/neuron/recommended")),
        E,
    ),
    (
        "AMI-01 a middle to come",
        "TRN269",
        image(filled(f"{EKS}/${{V}}/amazon-linux-2023/x86_64/neuron/recommended/image_id")),
        [],
    ),
    ("AMI-01 an end to come", "TRN269", image(filled(f"{NEURON}/base/${{Os}}")), []),
    (
        "AMI-01 joined",
        "TRN269",
        image({"Fn::Join": ["", ["resolve:ssm:", f"{NEURON}/pytorch-2.5/latest/ami-id"]]}),
        E,
    ),
    (
        "AMI-01 an ARN",
        "TRN269",
        image(at_launch(f"arn:aws:ssm:us-east-2::parameter{NEURON}/base/latest/image_id")),
        E,
    ),
    ("AMI-01 a default", "TRN269", given(f"{NEURON}/pytorch-2.5/latest/ami-id"), W),
    (
        "AMI-01 a default as a text",
        "TRN269",
        given(f"{NEURON}/pytorch-2.5/latest/ami-id", "AWS::SSM::Parameter::Value<String>"),
        W,
    ),
    ("AMI-01 a right default", "TRN269", given(BASE), []),
    ("AMI-01 a default of another type", "TRN269", given(AMI, "AWS::EC2::Image::Id"), []),
    (
        "AMI-01 a default inside",
        "TRN269",
        {
            **image(filled(f"{NEURON}/base/${{Image}}/latest/image_id")),
            "Parameters": {"Image": {"Type": "String", "Default": "al2023"}},
        },
        W,
    ),
    ("AMI-01 no default", "TRN269", given(None), []),
    (
        "AMI-01 an instance",
        "TRN269",
        template(
            Node=(
                "AWS::EC2::Instance",
                {"InstanceType": TRN2, "ImageId": at_deployment(f"{NEURON}/latest")},
            )
        ),
        E,
    ),
    (
        "AMI-01 AWS Batch",
        "TRN269",
        template(
            Env=(
                "AWS::Batch::ComputeEnvironment",
                {
                    "ComputeResources": {
                        "InstanceTypes": [TRN2],
                        "Ec2Configuration": [
                            {
                                "ImageType": "ECS_AL2023",
                                "ImageIdOverride": at_deployment(
                                    f"{ECS}/amazon-linux-2023/neuron/recommended"
                                ),
                            }
                        ],
                    }
                },
            )
        ),
        E,
    ),
    (
        "AMI-01 AWS PCS",
        "TRN269",
        template(
            Pcs=(
                "AWS::PCS::ComputeNodeGroup",
                {
                    "AmiId": at_deployment(f"{NEURON}/latest"),
                    "InstanceConfigs": [{"InstanceType": TRN2}],
                },
            )
        ),
        E,
    ),
    (
        "AMI-02 a flavour that is gone",
        "TRN269",
        image(at_launch(f"{NEURON}/multi-framework/ubuntu-22.04/latest/image_id")),
        W,
    ),
    (
        "AMI-02 a flavour that is frozen",
        "TRN269",
        image(at_launch(f"{NEURON}/base/ubuntu-22.04/latest/image_id")),
        [],
    ),
    ("AMI-03 a stand-in of the CDK", "TRN269", image("dummy-value-for-/ours/golden"), E),
]

NVIDIA = f"{EKS}/1.33/amazon-linux-2023/x86_64/nvidia/recommended/image_id"
STANDARD = f"{EKS}/1.33/amazon-linux-2023/x86_64/standard/recommended/image_id"
VLLM = f"{NEURON}/pytorch-inference-vllm-0.24.0.1.1.0/ubuntu-24.04/latest/image_id"
FITS: list[Row] = [
    ("AMI-05 for NVIDIA", "TRN270", image(at_launch(NVIDIA)), W),
    ("AMI-05 without driver", "TRN270", image(at_launch(STANDARD)), W),
    (
        "AMI-05 without driver, version to come",
        "TRN270",
        image(filled(STANDARD.replace("1.33", "${V}"))),
        W,
    ),
    ("AMI-05 Neuron", "TRN270", image(at_launch(EKS_NEURON)), []),
    ("AMI-05 Neuron DLAMI", "TRN270", image(at_launch(BASE)), []),
    (
        "AMI-05 both drivers",
        "TRN270",
        image(at_launch(f"{EKS}/1.31/amazon-linux-2-gpu/recommended/image_id")),
        [],
    ),
    (
        "AMI-05 Bottlerocket",
        "TRN270",
        image(at_launch("/aws/service/bottlerocket/aws-k8s-1.33/x86_64/latest/image_id")),
        [],
    ),
    (
        "AMI-05 Bottlerocket for NVIDIA",
        "TRN270",
        image(at_launch("/aws/service/bottlerocket/aws-k8s-1.33-nvidia/x86_64/latest/image_id")),
        W,
    ),
    (
        "AMI-05 ECS without driver",
        "TRN270",
        image(at_launch(f"{ECS}/amazon-linux-2023/recommended/image_id")),
        W,
    ),
    (
        "AMI-05 ECS Neuron",
        "TRN270",
        image(at_launch(f"{ECS}/amazon-linux-2023/neuron/recommended/image_id")),
        [],
    ),
    (
        "HOST-13 the sample of PCS",
        "TRN270",
        image(at_launch("/aws/service/pcs/ami/dlami-base-ubuntu2404/x86_64/latest/ami-id")),
        W,
    ),
    ("AMI-05 for ARM", "TRN270", image(at_launch(STANDARD.replace("x86_64", "arm64"))), E),
    ("AMI-05 for another type", "TRN270", image(at_launch(NVIDIA), "p5.48xlarge"), []),
    (
        "AMI-05 plain Amazon Linux",
        "TRN270",
        image(at_launch("/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64")),
        [],
    ),
    (
        "AMI-05 the driver installed",
        "TRN270",
        image(at_launch(STANDARD), UserData=plain("#!/bin/sh\ndnf install -y aws-neuronx-dkms")),
        [],
    ),
    (
        "AMI-05 another script",
        "TRN270",
        image(at_launch(STANDARD), UserData=plain("#!/bin/sh\necho")),
        W,
    ),
    (
        "AMI-05 a script to come",
        "TRN270",
        image(at_launch(STANDARD), UserData={"Fn::Base64": {"Ref": "Script"}}),
        [],
    ),
    ("AMI-05 by default", "TRN270", given(NVIDIA), W),
    ("AMI-05 for newer chips", "TRN270", image(at_launch(VLLM), TRN1), W),
    ("AMI-05 for these chips", "TRN270", image(at_launch(VLLM), "trn2u.48xlarge"), []),
]

STAYS: list[Row] = [
    ("AMI-03 read at each deployment", "TRN271", image(at_deployment(BASE)), W),
    ("AMI-03 a default of an SSM type", "TRN271", given(BASE), W),
    (
        "AMI-03 EKS's recommended",
        "TRN271",
        with_template(managed(AmiType=None), ImageId=at_deployment(EKS_NEURON)),
        W,
    ),
    (
        "AMI-03 version of Kubernetes to come",
        "TRN271",
        image(filled(EKS_NEURON.replace("1.33", "${V}"))),
        W,
    ),
    (
        "AMI-03 an instance",
        "TRN271",
        template(
            Node=("AWS::EC2::Instance", {"InstanceType": TRN2, "ImageId": at_deployment(BASE)})
        ),
        W,
    ),
    ("AMI-03 with a version", "TRN271", image(at_deployment(f"{BASE}:7")), []),
    ("AMI-03 a default with a version", "TRN271", given(f"{BASE}:7"), []),
    ("AMI-03 read at each launch", "TRN271", image(at_launch(BASE)), []),
    (
        "AMI-03 a release",
        "TRN271",
        image(
            at_deployment(
                f"{EKS}/1.33/amazon-linux-2023/x86_64/neuron/amazon-eks-node-al2023-x86_64-neuron-1.33-v20260714/image_id"
            )
        ),
        [],
    ),
    (
        "AMI-03 a parameter of one's own",
        "TRN271",
        image(at_deployment("/ours/golden/latest/image_id")),
        [],
    ),
    ("AMI-03 another type", "TRN271", image(at_deployment(EKS_NEURON), "m5.large"), []),
    ("AMI-03 an id", "TRN271", image(AMI), []),
]


def disk(name: Any, size: Any = 512) -> Body:
    return {"DeviceName": name, "Ebs": {"VolumeSize": size, "VolumeType": "gp3", "Encrypted": True}}


def disks(parameter: str, *mappings: Any, kind: str = TRN2) -> Body:
    return image(at_launch(parameter), kind, BlockDeviceMappings=list(mappings))


AL2023 = f"{NEURON}/base/amazon-linux-2023/latest/image_id"
GONE = f"{NEURON}/multi-framework/ubuntu-22.04/latest/image_id"
ROOTS: list[Row] = [
    ("AMI-02 Ubuntu", "TRN272", disks(BASE, disk("/dev/sda1")), []),
    ("AMI-02 Ubuntu by the other name", "TRN272", disks(BASE, disk("/dev/xvda")), W),
    ("AMI-02 Amazon Linux", "TRN272", disks(AL2023, disk("/dev/xvda")), []),
    ("AMI-02 Amazon Linux by the other name", "TRN272", disks(AL2023, disk("/dev/sda1")), W),
    ("AMI-02 EKS by the other name", "TRN272", disks(EKS_NEURON, disk("/dev/sda1")), W),
    ("AMI-02 EKS", "TRN272", disks(EKS_NEURON, disk("/dev/xvda", 20)), []),
    ("AMI-02 a second disk", "TRN272", disks(BASE, disk("/dev/sda1"), disk("/dev/sdf")), []),
    ("AMI-02 both names", "TRN272", disks(BASE, disk("/dev/sda1"), disk("/dev/xvda")), []),
    ("AMI-02 a second disk alone", "TRN272", disks(BASE, disk("/dev/sdf")), []),
    ("AMI-02 a name to come", "TRN272", disks(BASE, disk({"Ref": "Root"})), []),
    (
        "AMI-02 the other name and one to come",
        "TRN272",
        disks(BASE, disk("/dev/xvda"), disk({"Ref": "Root"})),
        [],
    ),
    ("AMI-02 another type", "TRN272", disks(BASE, disk("/dev/xvda"), kind="m5.large"), []),
    (
        "AMI-02 Bottlerocket",
        "TRN272",
        disks("/aws/service/bottlerocket/aws-k8s-1.33/x86_64/latest/image_id", disk("/dev/xvdb")),
        [],
    ),
    ("AMI-02 an id", "TRN272", image(AMI, BlockDeviceMappings=[disk("/dev/xvda", 80)]), []),
    ("AMI-02 a root of 80", "TRN272", disks(BASE, disk("/dev/sda1", 80)), W),
    ("AMI-02 a root of 100", "TRN272", disks(BASE, disk("/dev/sda1", 100)), []),
    (
        "AMI-02 a root of 80 of an image that needs 100",
        "TRN272",
        disks(GONE, disk("/dev/sda1", "80")),
        E,
    ),
    ("AMI-02 a size to come", "TRN272", disks(BASE, disk("/dev/sda1", {"Ref": "Size"})), []),
    (
        "AMI-02 EKS's own image by the other name",
        "TRN272",
        with_template(managed(), BlockDeviceMappings=[disk("/dev/sda1")]),
        W,
    ),
    (
        "AMI-02 EKS's own image",
        "TRN272",
        with_template(managed(), BlockDeviceMappings=[disk("/dev/xvda")]),
        [],
    ),
    (
        "AMI-02 Bottlerocket of EKS",
        "TRN272",
        with_template(
            managed(AmiType="BOTTLEROCKET_x86_64"), BlockDeviceMappings=[disk("/dev/xvdb")]
        ),
        [],
    ),
    (
        "AMI-02 Auto Scaling",
        "TRN272",
        template(Group=group(["subnet-1"]), **disks(BASE, disk("/dev/xvda"))["Resources"]),
        W,
    ),
]


def either(first: Any, second: Any, **data: Any) -> Body:
    """An image of one's own, or the public one."""
    return image({"Fn::If": ["HasOwn", first, second]}, **data)


BRANCHES: list[Row] = [
    ("AMI-01 in one branch", "TRN269", either({"Ref": "Own"}, at_launch(f"{NEURON}/latest")), E),
    ("AMI-01 in both", "TRN269", either(at_launch(f"{EKS}/x"), at_launch(f"{NEURON}/x")), [*E, *E]),
    ("AMI-01 in none", "TRN269", either({"Ref": "Own"}, at_launch(BASE)), []),
    ("AMI-01 two deep", "TRN269", either({"Fn::If": ["B", "dummy-value-for-x", AMI]}, AMI), E),
    ("AMI-03 in one branch", "TRN271", either({"Ref": "Own"}, at_deployment(BASE)), W),
    ("AMI-05 in one branch", "TRN270", either(at_launch(NVIDIA), AMI), W),
    (
        "AMI-03 the default in one branch",
        "TRN271",
        {
            **either({"Ref": "Own"}, {"Ref": "Public"}),
            "Parameters": {
                "Own": {"Type": "String", "Default": ""},
                "Public": {
                    "Type": "AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>",
                    "Default": EKS_NEURON,
                },
            },
        },
        W,
    ),
]
ROWS = [*BRANCHES, *NAMES, *FITS, *STAYS, *ROOTS]


@pytest.mark.parametrize(
    ("rule_id", "body", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_an_image_is_judged(rule_id: str, body: Body, expected: list[str]):
    assert severities(rule_id, judge_template(body)) == expected


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (f"{NEURON}/pytorch-2.5/latest/ami-id", BASE),
        (
            f"{NEURON}/multi-framework/latest/image_id",
            f"{NEURON}/multi-framework/ubuntu-24.04/latest/image_id",
        ),
        (f"{NEURON}/base/amazon-linux-2023/ami-id", AL2023),
        (f"{EKS}/1.33/amazon-linux-2023/neuron/image_id", EKS_NEURON),
        (
            f"{ECS}/amazon-linux-2023/x86_64/neuron/recommended/image_id",
            f"{ECS}/amazon-linux-2023/neuron/recommended/image_id",
        ),
        (f"{ECS}/amazon-linux-2023/recommended", f"{ECS}/amazon-linux-2023/recommended/image_id"),
        (
            "/aws/service/bottlerocket/aws-k8s-1.33/x86_64/latest/ami_id",
            "/aws/service/bottlerocket/aws-k8s-1.33/x86_64/latest/image_id",
        ),
    ],
)
def test_the_right_name_is_proposed(wrong: str, right: str):
    found = misnamed(wrong)
    assert found is not None
    assert found[1] == right
    assert misnamed(right) is None


def test_a_region_without_parameters_is_said():
    (found,) = of_rule("TRN269", judge_template(image(at_launch(BASE)), region="ap-south-2"))
    assert found.severity.value == "error"
    assert "ap-south-2 has no /aws/service/neuron/ parameters" in found.message
    assert not of_rule("TRN269", judge_template(image(at_launch(BASE)), region="us-east-2"))


def test_the_default_of_an_ssm_parameter_is_named():
    (found,) = of_rule("TRN271", judge_template(given(BASE)))
    assert f"what {BASE} (the default of Image) holds at each deployment" in found.message


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (at_launch(BASE), (BASE, "launch", False)),
        (at_launch(f"{BASE}:7"), (BASE, "launch", True)),
        (at_deployment(BASE), (BASE, "deployment", False)),
        (at_launch(f"arn:aws:ssm:us-east-2::parameter{BASE}:7"), (BASE, "launch", True)),
        (
            filled(f"{NEURON}/${{Kind}}/latest/image_id"),
            (f"{NEURON}/\0/latest/image_id", "deployment", False),
        ),
        (AMI, None),
        ({"Ref": "Nothing"}, None),
        (SOMETIMES, None),
        (None, None),
        (["a"], None),
    ],
)
def test_the_parameter_behind_an_image_is_read(
    written: Any, expected: tuple[str, str, bool] | None
):
    read = Template("stack", "stack.yaml", image(written))
    StackSet([read])
    found = image_parameter(properties_of(read.resources["Nodes"])["LaunchTemplateData"]["ImageId"])
    assert (found and (found.name, found.resolved_at, found.is_pinned)) == expected
