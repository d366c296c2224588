"""Generations of Neuron: what an image holds against families, hosts against containers."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.trnkit.rules.eks_templates import managed, plain, with_template
from tests.trnkit.rules.judging import (
    SMALLEST_CLUSTER,
    judge_documents,
    judge_template,
    of_rule,
    overlaid,
    severities,
)
from tests.trnkit.rules.templates import Body, nodes, template
from trnkit.config import read_cluster
from trnkit.rules import check_cluster
from trnkit.rules.judging.neuron_skew import (
    HostDriver,
    driver_of_image_name,
    driver_of_parameter,
    judge_skew,
)
from trnkit.rules.template.orchestration.container_skew import RULE as SKEW

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
NEURON = "/aws/service/neuron/dlami"
BASE = f"{NEURON}/base/ubuntu-24.04/latest/image_id"
LAST_XLA = f"{NEURON}/pytorch-2.9/ubuntu-24.04/latest/image_id"
EKS = "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/neuron/recommended/image_id"
ECS = "/aws/service/ecs/optimized-ami/amazon-linux-2023/neuron/recommended/image_id"
PCS = "/aws/service/pcs/ami/dlami-base-ubuntu2404/x86_64/latest/ami-id"
BOTTLEROCKET = "/aws/service/bottlerocket/aws-k8s-1.34/x86_64/latest/image_id"
TORCH_NEURON = f"{NEURON}/torch-neuronx-2.14/ubuntu-24.04/latest/image_id"
MULTI = f"{NEURON}/multi-framework/ubuntu-24.04/latest/image_id"


def container(
    sdk: str, repository: str = "pytorch-training-neuronx", version: str = "2.9.0"
) -> str:
    return f"public.ecr.aws/neuron/{repository}:{version}-neuronx-py312-sdk{sdk}-ubuntu24.04"


def in_file(parameter: str, **group: Any) -> list[Any]:
    image = {"image": {"ssm_parameter": parameter}}
    first = SMALLEST_CLUSTER["compute"]["node_groups"][0] | image | group
    data = overlaid(SMALLEST_CLUSTER, {"compute": {"node_groups": [first]}})
    return list(check_cluster(read_cluster(yaml.safe_dump(data), "cluster.yaml")))


@pytest.mark.parametrize(
    ("parameter", "expected", "words"),
    [
        (PCS, W, "an image for GPUs, without the Neuron driver"),
        (EKS.replace("/neuron/", "/nvidia/"), W, "an image for GPUs"),
        (ECS.replace("/neuron", ""), W, "an image without the Neuron driver"),
        (BOTTLEROCKET, E, "runs no boot script"),
        (EKS, [], ""),
        (ECS, [], ""),
        (BASE, [], ""),
        (f"{BASE}:3", [], ""),
        ("/ours/golden", [], ""),
        ("/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64", [], ""),
    ],
)
def test_host_13_the_image_of_a_cluster_file_has_the_driver(parameter, expected, words):
    found = of_rule("TRN208", in_file(parameter))
    assert [finding.severity.value for finding in found] == expected
    assert all(words in finding.message for finding in found)


@pytest.mark.parametrize(
    ("parameter", "expected", "words"),
    [
        (EKS.replace("/x86_64", ""), E, f"write {EKS}"),
        (ECS.replace("/image_id", ""), E, f"write {ECS}"),
        (f"{NEURON}/base/al2023/latest/image_id", E, f"write {BASE}"),
        (f"{NEURON}/jax-0.7/ubuntu-22.04/latest/image_id", W, "ubuntu-24.04"),
        (f"{NEURON}/pytorch-2.9/amazon-linux-2023/latest/image_id", W, "write"),
        (f"{NEURON}/jax-0.11/ubuntu-24.04/latest/image_id", [], ""),
        (EKS, [], ""),
        (PCS, [], ""),
    ],
)
def test_ami_01_a_wrong_name_in_a_cluster_file_gets_the_right_one(parameter, expected, words):
    found = of_rule("TRN204", in_file(parameter))
    assert [finding.severity.value for finding in found] == expected
    assert all(words in (finding.hint or "") for finding in found)


@pytest.mark.parametrize(
    ("parameter", "expected"),
    [
        (f"{NEURON}/jax-0.7/ubuntu-22.04/latest/image_id", W),
        (f"{NEURON}/multi-framework/amazon-linux-2023/latest/image_id", W),
        (f"{NEURON}/jax-0.11/ubuntu-24.04/latest/image_id", []),
        (f"{NEURON}/base/ubuntu-22.04/latest/image_id", []),
    ],
)
def test_ami_02_a_retired_flavour_in_a_template(parameter, expected):
    body = template(Nodes=nodes("trn2.48xlarge", ImageId=f"resolve:ssm:{parameter}"))
    assert severities("TRN269", judge_template(body)) == expected


@pytest.mark.parametrize(
    ("parameter", "instance_type", "expected", "words"),
    [
        (TORCH_NEURON, "trn1.32xlarge", W, "pytorch-2.9"),
        (TORCH_NEURON, "inf2.48xlarge", W, "pytorch-2.9"),
        (TORCH_NEURON, "trn2.48xlarge", [], ""),
        (TORCH_NEURON, "trn2u.48xlarge", [], ""),
        (MULTI, "trn1.32xlarge", I, LAST_XLA),
        (MULTI, "trn1n.32xlarge", I, LAST_XLA),
        (MULTI, "trn2.48xlarge", [], ""),
        (LAST_XLA, "trn1.32xlarge", [], ""),
        (BASE, "trn1.32xlarge", [], ""),
    ],
)
def test_the_generation_of_an_image_fits_the_family(parameter, instance_type, expected, words):
    found = of_rule("TRN283", in_file(parameter, instance_type=instance_type, count=1))
    assert [finding.severity.value for finding in found] == expected
    assert all(words in (finding.hint or "") for finding in found)


@pytest.mark.parametrize(
    ("kind", "expected"), [("trn1.32xlarge", W), ("trn2.48xlarge", []), ("trn2u.48xlarge", [])]
)
def test_the_generation_of_an_image_in_a_template(kind, expected):
    body = template(Nodes=nodes(kind, ImageId=f"resolve:ssm:{TORCH_NEURON}"))
    assert severities("TRN270", judge_template(body)) == expected


@pytest.mark.parametrize(
    ("parameter", "size", "expected"),
    # The snapshots of EKS and ECS images stand in no source.
    [(EKS, 10, []), (ECS, 20, []), (BASE, 80, W), (BASE, 100, [])],
)
def test_ami_02_a_root_volume_holds_the_snapshot_of_its_kind(parameter, size, expected):
    device = "/dev/sda1" if parameter == BASE else "/dev/xvda"
    disk = {"DeviceName": device, "Ebs": {"VolumeSize": size, "VolumeType": "gp3"}}
    data = {"ImageId": f"resolve:ssm:{parameter}", "BlockDeviceMappings": [disk]}
    found = judge_template(template(Nodes=nodes("trn2.48xlarge", **data)))
    assert severities("TRN272", found) == expected
    in_a_file = of_rule("TRN205", in_file(parameter, root_volume_size_gib=size))
    assert ("error" in [f.severity.value for f in in_a_file]) is (bool(expected))


# Hosts against containers.

OLD, NEW = HostDriver("2.26.5.0", "2.26.10.0", "old"), HostDriver("2.30.2.0", None, "new")
BETWEEN = HostDriver("2.28.0.0", "2.28.0.0", "between")


@pytest.mark.parametrize(
    ("sdk", "hosts", "words"),
    [
        ("2.30.0", [NEW], "whose runtime is older than 2.33"),
        ("2.29.1", [NEW], "whose runtime is older than 2.33"),
        ("2.21.0", [NEW], "whose runtime is older than 2.33"),
        ("2.31.0", [NEW], None),
        ("2.33.0", [NEW], None),
        ("2.99.0", [NEW], None),
        ("2.30.0", [OLD], "runtime 2.32 needs driver 2.27"),
        # A patch of it may have put that right.
        ("2.30.1", [OLD], None),
        ("2.29.0", [OLD], None),
        ("2.32.0", [OLD], None),
        ("2.30.0", [BETWEEN], None),
        ("2.30.0", [NEW, BETWEEN], None),
        ("2.30.0", [NEW, None], None),
        ("2.30.0", [], None),
    ],
)
def test_a_container_on_hosts(sdk, hosts, words):
    found = judge_skew(container(sdk), hosts)
    assert (words in found.text) if words else found is None


def test_the_first_release_with_a_new_enough_runtime_is_proposed():
    found = judge_skew(container("2.29.0"), [NEW])
    assert "take a container of SDK 2.31.0 or newer" in found.hint


@pytest.mark.parametrize(
    ("parameter", "is_pinned", "least", "most"),
    [
        (BASE, False, "2.30.2.0", None),
        (BASE, True, None, None),
        (LAST_XLA, False, "2.29.0.0", "2.29.0.0"),
        (f"{NEURON}/base/ubuntu-22.04/latest/image_id", False, None, None),
        (EKS, False, "2.29.0.0", None),
        (ECS, False, None, None),
        ("/ours/golden", False, None, None),
    ],
)
def test_the_driver_behind_a_parameter(parameter, is_pinned, least, most):
    found = driver_of_parameter(parameter, is_pinned=is_pinned)
    assert (found and (found.least, found.most)) == ((least, most) if least else None)


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("al2023@latest", "2.29.0.0"),
        ("al2023@v20260714", "2.29.0.0"),
        ("al2023@v20261101", "2.29.0.0"),
        ("al2023@v20260501", None),
        ("amazon-eks-node-al2023-x86_64-neuron-1.34-v20260801", "2.29.0.0"),
        ("amazon-eks-node-al2023-x86_64-neuron-1.34-*", None),
        ("bottlerocket@latest", None),
        (EKS, "2.29.0.0"),
        ("golden-v20260801", None),
    ],
)
def test_the_driver_behind_a_name_of_karpenter(name, least):
    found = driver_of_image_name(name)
    assert (found and found.least) == least


def task(image: Any) -> Body:
    return {
        "Type": "AWS::ECS::TaskDefinition",
        "Properties": {"ContainerDefinitions": [{"Name": "train", "Memory": 1024, "Image": image}]},
    }


def host(image: Any, kind: str = "trn2.48xlarge", **data: Any) -> Body:
    return nodes(kind, ImageId=image, **data)


DOCKER = "#!/bin/sh\ndocker run --rm %s python train.py\n"
LATEST = f"resolve:ssm:{BASE}"


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({"Nodes": host(LATEST), "Task": task(container("2.29.0"))}, W),
        ({"Nodes": host(LATEST), "Task": task(container("2.32.0"))}, []),
        ({"Nodes": host(f"{LATEST}:4"), "Task": task(container("2.29.0"))}, []),
        ({"Nodes": host("ami-0123456789abcdef0"), "Task": task(container("2.29.0"))}, []),
        ({"Nodes": host({"Ref": "Ami"}), "Task": task(container("2.29.0"))}, []),
        (
            {
                "Nodes": host(LATEST),
                "Others": host("ami-0123456789abcdef0"),
                "Task": task(container("2.29.0")),
            },
            [],
        ),
        ({"Task": task(container("2.29.0"))}, []),
        ({"Nodes": host(LATEST), "Task": task({"Ref": "Image"})}, []),
        ({"Nodes": host(LATEST), "Task": task({"Fn::Sub": container("2.29.0")})}, W),
        ({"Nodes": host(LATEST, UserData=plain(DOCKER % container("2.29.0")))}, W),
        ({"Nodes": host(LATEST, UserData=plain(DOCKER % container("2.33.0")))}, []),
        (
            {
                "Nodes": host(
                    LATEST,
                    UserData=plain("#!/bin/sh\napt-get install -y aws-neuronx-dkms=2.28.*\n"),
                ),
                "Task": task(container("2.29.0")),
            },
            [],
        ),
    ],
)
def test_hosts_and_containers_of_a_template(resources, expected):
    assert severities("TRN595", judge_template(template(**resources))) == expected


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, W),
        ({"RequiresCompatibilities": ["EC2"]}, W),
        ({"PlacementConstraints": []}, W),
        ({"RequiresCompatibilities": ["FARGATE"]}, []),
        ({"RequiresCompatibilities": ["EC2", "FARGATE"]}, []),
        ({"RequiresCompatibilities": {"Ref": "Launch"}}, []),
        ({"PlacementConstraints": [{"Type": "memberOf", "Expression": "task:group == a"}]}, []),
        ({"PlacementConstraints": {"Ref": "Where"}}, []),
    ],
)
def test_tasks_that_may_run_elsewhere_are_not_judged(settings, expected):
    """On Fargate or where a constraint puts them: to compile, or on instances of others."""
    old = task(container("2.29.0"))
    old["Properties"] |= settings
    found = judge_template(template(Nodes=host(LATEST), Task=old))
    assert severities("TRN595", found) == expected


def test_a_job_on_fargate_is_not_judged():
    old = job(container("2.29.0"))
    on_nodes = judge_template(template(Nodes=host(LATEST), Job=old))
    assert severities("TRN595", on_nodes) == W
    old["Properties"]["PlatformCapabilities"] = ["FARGATE"]
    assert not of_rule("TRN595", judge_template(template(Nodes=host(LATEST), Job=old)))


def job(image: str) -> Body:
    return {
        "Type": "AWS::Batch::JobDefinition",
        "Properties": {
            "Type": "container",
            "ContainerProperties": {"Image": image, "ResourceRequirements": []},
        },
    }


def environment(parameter: str) -> Body:
    return {
        "Type": "AWS::Batch::ComputeEnvironment",
        "Properties": {
            "Type": "MANAGED",
            "ComputeResources": {
                "Type": "EC2",
                "InstanceTypes": ["trn2.48xlarge"],
                "MaxvCpus": 192,
                "Subnets": ["subnet-1"],
                "Ec2Configuration": [
                    {
                        "ImageType": "ECS_AL2023",
                        "ImageIdOverride": f"{{{{resolve:ssm:{parameter}}}}}",
                    }
                ],
            },
        },
    }


@pytest.mark.parametrize(
    ("parameter", "sdk", "expected"),
    [
        (LAST_XLA, "2.30.0", W),
        (LAST_XLA, "2.31.1", []),
        (ECS, "2.30.0", []),
        # What was the newest at the last deployment may be older than that.
        (BASE, "2.30.0", I),
    ],
)
def test_jobs_of_aws_batch(parameter, sdk, expected):
    body = template(Nodes=environment(parameter), Job=job(container(sdk)))
    assert severities("TRN595", judge_template(body)) == expected


def eks(release: Any, sdk: str) -> Body:
    """A managed node group and a job applied to its cluster."""
    manifest = (
        '[{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"train"},"spec":{"template":'
        f'{{"spec":{{"containers":[{{"name":"a","image":"{container(sdk)}"}}]}}}}}}}}]'
    )
    group = managed(LaunchTemplate=None, InstanceTypes=["trn2.48xlarge"], ReleaseVersion=release)
    body = template(Group=group)
    body["Resources"]["Job"] = {
        "Type": "Custom::AWSCDK-EKS-KubernetesResource",
        "Properties": {"Manifest": manifest, "ClusterName": "train"},
    }
    return body


@pytest.mark.parametrize(
    ("release", "sdk", "expected"),
    [
        ("1.34.1-20260714", "2.29.0", W),
        ("1.34-20261001", "2.29.0", W),
        ("1.34.1-20260501", "2.29.0", []),
        ("1.34.1-20260714", "2.31.0", []),
        # Groups that were made earlier keep their image.
        (None, "2.29.0", I),
        ({"Ref": "Release"}, "2.29.0", []),
    ],
)
def test_pods_on_the_image_that_eks_chooses(release, sdk, expected):
    assert severities("TRN595", judge_template(eks(release, sdk))) == expected


def test_a_launch_template_without_image_is_no_further_host():
    body = with_template(managed(AmiType="AL2023_x86_64_NEURON", ReleaseVersion="1.34-20260714"))
    body["Resources"]["Task"] = task(container("2.29.0"))
    assert severities("TRN595", judge_template(body)) == W


@pytest.mark.parametrize(
    ("kind", "image", "expected"),
    [
        ("trn1.32xlarge", container("2.33.0", version="2.14.0"), W),
        ("trn1.32xlarge", container("2.30.0"), []),
        ("trn2.48xlarge", container("2.33.0", version="2.14.0"), []),
        ("inf2.xlarge", container("2.32.0", "pytorch-inference-vllm-neuronx", "0.24.0.1.1.0"), W),
        ("trn1.32xlarge", "example.com/pytorch-training:2.14.0", []),
        ({"Ref": "Type"}, container("2.33.0", version="2.14.0"), []),
    ],
)
def test_the_framework_of_a_container_runs_on_the_nodes(kind, image, expected):
    body = template(Nodes=host(LATEST, kind), Task=task(image))
    assert severities("TRN596", judge_template(body)) == expected


def test_one_family_that_it_runs_on_is_enough():
    image = container("2.33.0", version="2.14.0")
    body = template(One=host(LATEST, "trn1.32xlarge"), Two=host(LATEST), Task=task(image))
    assert severities("TRN596", judge_template(body)) == []


def test_the_rule_names_host_and_container():
    (found,) = of_rule("TRN595", judge_template(SKEW.bad))
    assert "nodes of base/ubuntu-24.04, whose driver is 2.30 or newer" in found.message
    assert found.evidence is not None


POOL = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: train}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: trn2}
      requirements:
        - {key: node.kubernetes.io/instance-type, operator: In, values: [trn2.48xlarge]}
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: trn2}
spec:
  amiSelectorTerms: [%s]
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  nodeSelector: {node.kubernetes.io/instance-type: %s}
  containers:
    - name: train
      image: %s
      resources: {limits: {aws.amazon.com/neuron: 16}}
"""


@pytest.mark.parametrize(
    ("term", "sdk", "expected"),
    [
        ("{alias: al2023@latest}", "2.29.0", W),
        ("{alias: al2023@v20260714}", "2.30.0", W),
        ("{alias: al2023@v20260501}", "2.30.0", []),
        ("{alias: al2023@latest}", "2.32.0", []),
        ("{id: ami-0123456789abcdef0}", "2.29.0", []),
        ("{alias: al2023@latest}, {id: ami-0123456789abcdef0}", "2.29.0", []),
        ("", "2.29.0", []),
    ],
)
def test_pods_and_the_images_of_node_pools(term, sdk, expected):
    text = f"{POOL % term}---\n{POD % ('trn2.48xlarge', container(sdk))}"
    found = of_rule("TRN540", judge_documents(text))
    assert [finding.severity.value for finding in found] == expected


@pytest.mark.parametrize(
    ("name", "right"),
    [
        (EKS.replace("/x86_64", ""), EKS),
        (EKS.replace("/image_id", ""), EKS),
        (EKS, None),
        ("/ours/golden", None),
    ],
)
def test_ami_01_a_wrong_parameter_in_a_node_class_gets_the_right_one(name, right):
    text = f"{POOL % f'{{ssmParameter: {name}}}'}"
    found = of_rule("TRN243", judge_documents(text))
    assert [finding.hint for finding in found] == ([f"write {right}"] if right else [])


def test_a_pod_without_node_pools_is_not_judged():
    text = POD % ("trn2.48xlarge", container("2.29.0"))
    assert not of_rule("TRN540", judge_documents(text))


@pytest.mark.parametrize(
    ("kind", "version", "expected"),
    [
        ("trn1.32xlarge", "2.14.0", W),
        ("trn1.32xlarge", "2.9.0", []),
        ("trn2.48xlarge", "2.14.0", []),
        ("trn9.48xlarge", "2.14.0", []),
    ],
)
def test_the_framework_of_a_pod_runs_on_its_nodes(kind, version, expected):
    found = of_rule("TRN541", judge_documents(POD % (kind, container("2.33.0", version=version))))
    assert [finding.severity.value for finding in found] == expected
