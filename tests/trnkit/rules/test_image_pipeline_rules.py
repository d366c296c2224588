"""Rules about `compute.image_pipeline`, and the nodes that boot what it makes."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.trnkit.rules.judging import SMALLEST_CLUSTER, of_rule, overlaid
from trnkit.catalog import hourly_price
from trnkit.config import read_cluster
from trnkit.errors import ConfigurationError
from trnkit.rules import check_cluster

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
NEURON = "/aws/service/neuron/dlami"
AL2023 = f"{NEURON}/base/amazon-linux-2023/latest/image_id"
EKS = "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/neuron/recommended/image_id"
BOTTLEROCKET = "/aws/service/bottlerocket/aws-k8s-1.34/x86_64/latest/image_id"
PCS = "/aws/service/pcs/ami/dlami-base-ubuntu2404/x86_64/latest/ami-id"
AMI = "ami-0123456789abcdef0"
OURS = "/imagebuilder/trnkit/ours"
KEY = "arn:aws:kms:{}:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
TOPIC = "arn:aws:sns:{}:111122223333:images"
COMPONENT = "arn:aws:imagebuilder:{}:aws:component/amazon-corretto-21-headless/1.0.0"


def judged(
    pipeline: dict[str, Any] | None, image: dict[str, Any] | None = None, **more: Any
) -> list[Any]:
    """Findings on a cluster in us-east-2 with a pipeline and a node group."""
    network = more.pop("network", {})
    group = SMALLEST_CLUSTER["compute"]["node_groups"][0] | more
    if image is not None:
        group = group | {"image": image}
    compute: dict[str, Any] = {"node_groups": [group]}
    if pipeline is not None:
        compute["image_pipeline"] = pipeline
    data = overlaid(
        SMALLEST_CLUSTER, {"name": "ours", "region": "us-east-2", "compute": compute}
    ) | {"network": network}
    return list(check_cluster(read_cluster(yaml.safe_dump(data), "cluster.yaml")))


def severities(rule: str, findings: list[Any]) -> list[str]:
    return [finding.severity.value for finding in of_rule(rule, findings)]


@pytest.mark.parametrize(
    ("pipeline", "image", "size", "expected"),
    [
        ({}, {"ssm_parameter": OURS}, 512, []),
        ({}, {"ssm_parameter": OURS}, 200, []),
        ({}, {"ssm_parameter": OURS}, 199, E),
        ({}, {"ssm_parameter": f"{OURS}:3"}, 199, E),
        ({"root_volume_size_gib": 600}, {"ssm_parameter": OURS}, 512, E),
        ({"parameter_name": "/imagebuilder/x"}, {"ssm_parameter": "/imagebuilder/x"}, 100, E),
        # Another system, with another root device.
        ({"parent_ssm_parameter": AL2023}, {"ssm_parameter": OURS}, 512, E),
        (
            {"parent_ssm_parameter": AL2023},
            {"ssm_parameter": OURS, "operating_system": "amazon-linux-2023"},
            512,
            [],
        ),
        (
            {"operating_system": "amazon-linux-2023", "parent_ami_id": AMI},
            {"ssm_parameter": OURS},
            512,
            E,
        ),
        ({"operating_system": "ubuntu-22.04"}, {"ssm_parameter": OURS}, 512, []),
        # Nobody boots it yet.
        ({}, {"ami_id": AMI}, 100, I),
        ({}, None, 512, I),
        (None, {"ssm_parameter": OURS}, 100, []),
    ],
)
def test_nodes_are_made_for_the_image(pipeline, image, size, expected):
    assert severities("TRN209", judged(pipeline, image, root_volume_size_gib=size)) == expected


@pytest.mark.parametrize(
    ("pipeline", "expected", "words"),
    [
        ({}, [], ""),
        ({"parent_ami_id": AMI}, [], ""),
        ({"parent_ami_id": AMI, "root_volume_size_gib": 30}, [], ""),
        ({"parent_ami_id": AMI, "parent_ssm_parameter": AL2023}, E, "has both"),
        ({"parent_ssm_parameter": EKS}, [], ""),
        # No source states the size of its snapshot.
        ({"parent_ssm_parameter": EKS, "root_volume_size_gib": 10}, [], ""),
        ({"parent_ssm_parameter": PCS}, E, "without the Neuron driver"),
        ({"parent_ssm_parameter": BOTTLEROCKET}, E, "no shell"),
        ({"parent_ssm_parameter": f"{NEURON}/base/latest/image_id"}, E, "have the shape"),
        (
            {"parent_ssm_parameter": f"{NEURON}/jax-0.7/ubuntu-22.04/latest/image_id"},
            W,
            "ended with SDK 2.30",
        ),
        ({"root_volume_size_gib": 80}, E, "need 100 GiB"),
        ({"parent_ssm_parameter": "/ours/golden", "root_volume_size_gib": 80}, [], ""),
    ],
)
def test_it_begins_with_a_neuron_image_and_has_room(pipeline, expected, words):
    found = of_rule("TRN227", judged(pipeline))
    assert [finding.severity.value for finding in found] == expected
    assert all(words in finding.message for finding in found)


@pytest.mark.parametrize(
    ("pipeline", "network", "expected"),
    [
        ({}, {}, []),
        ({}, {"nat_gateway": False}, E),
        (None, {"nat_gateway": False}, []),
    ],
)
def test_it_reaches_package_mirrors(pipeline, network, expected):
    assert severities("TRN228", judged(pipeline, network=network)) == expected


@pytest.mark.parametrize(
    ("pipeline", "expected"),
    [
        ({"kms_key_arn": KEY.format("us-east-2")}, []),
        ({"kms_key_arn": KEY.format("us-west-2")}, E),
        ({"topic_arn": TOPIC.format("us-west-2")}, E),
        ({"component_arns": [COMPONENT.format("us-east-2")]}, []),
        ({"component_arns": [COMPONENT.format("us-west-2")]}, E),
        ({"regions": ["us-west-2"]}, []),
        ({"regions": ["us-west-2"], "kms_key_arn": KEY.format("us-east-2")}, E),
        # Its own Region has each image anyway.
        ({"regions": ["us-east-2"]}, I),
        ({"regions": ["us-east-2"], "kms_key_arn": KEY.format("us-east-2")}, I),
        ({"regions": ["us-west-2", "us-east-2"]}, I),
        # Another partition; one that nobody knows is not judged.
        ({"regions": ["cn-north-1"]}, E),
        ({"regions": ["us-gov-west-1"]}, E),
        ({"regions": ["eu-central-1", "ap-south-2"]}, []),
        ({"regions": ["xx-yyy-zzz-1"]}, []),
    ],
)
def test_what_it_refers_to_is_in_its_region(pipeline, expected):
    assert severities("TRN229", judged(pipeline)) == expected


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("m7i.2xlarge", []),
        ("g5.xlarge", []),
        ("m7g.2xlarge", E),
        ("t4g.large", E),
        ("large", E),
        ("trn1.2xlarge", []),
        ("trn2.48xlarge", W),
        ("trn1n.32xlarge", W),
    ],
)
def test_it_builds_on_a_machine_that_can_run_the_image(kind, expected):
    assert severities("TRN247", judged({"instance_type": kind})) == expected


def test_a_dear_machine_to_build_on_is_told_with_its_price():
    (found,) = of_rule("TRN247", judged({"instance_type": "trn1.32xlarge"}))
    price = hourly_price("trn1.32xlarge", "us-east-2")
    assert price
    assert f"{price:,.2f} USD an hour" in found.message
    assert "m7i.2xlarge" in found.hint


@pytest.mark.parametrize(
    ("parent", "parameter", "expected"),
    [
        (OURS, None, E),
        (f"{OURS}:3", None, E),
        ("/imagebuilder/x", "/imagebuilder/x", E),
        ("/imagebuilder/x", None, []),
        (OURS, "/imagebuilder/x", []),
    ],
)
def test_a_pipeline_does_not_begin_with_what_it_makes(parent, parameter, expected):
    pipeline = {"parent_ssm_parameter": parent, "operating_system": "ubuntu-24.04"}
    found = judged(pipeline | ({"parameter_name": parameter} if parameter else {}))
    assert severities("TRN227", found) == expected
    assert all("the pipeline itself writes" in f.message for f in of_rule("TRN227", found))


@pytest.mark.parametrize(
    ("pipeline", "image", "expected"),
    [
        (None, {"ssm_parameter": "/my/image"}, W),
        (None, {"ssm_parameter": "my-image:2"}, W),
        (None, {"ssm_parameter": "/imagebuilder/trnkit/of-another"}, W),
        (None, {"ssm_parameter": "/my/ubuntu-22.04/image"}, []),
        (None, {"ssm_parameter": "/my/image", "operating_system": "amazon-linux-2023"}, []),
        (None, {"ssm_parameter": AL2023}, []),
        (None, {"ssm_parameter": BOTTLEROCKET}, []),
        (None, {"ami_id": AMI}, []),
        (None, None, []),
        # What the pipeline makes is known; what it begins with may not be.
        ({}, {"ssm_parameter": OURS}, []),
        ({"parent_ssm_parameter": "/my/golden"}, {"ssm_parameter": OURS}, W),
        ({"parent_ssm_parameter": "/my/golden"}, {"ssm_parameter": "/my/image"}, W + W),
        (
            {"parent_ssm_parameter": "/my/golden", "operating_system": "ubuntu-22.04"},
            {"ssm_parameter": OURS},
            [],
        ),
        ({"parent_ami_id": AMI}, {"ssm_parameter": OURS}, []),
        # TRN281 says that the lock is missing.
        (None, {"ssm_parameter": "/my/image", "lock_file": "images.lock"}, []),
    ],
)
def test_an_image_that_does_not_say_its_system_is_pointed_out(pipeline, image, expected):
    assert severities("TRN295", judged(pipeline, image)) == expected


@pytest.mark.parametrize(
    ("pipeline", "image", "expected"),
    [
        ({}, {"ssm_parameter": OURS}, I),
        ({}, {"ssm_parameter": f"{OURS}:3"}, I),
        ({}, {"ssm_parameter": OURS, "lock_file": "images.lock"}, []),
        ({}, {"ssm_parameter": AL2023}, []),
        ({}, {"ami_id": AMI}, []),
        (None, {"ssm_parameter": OURS}, []),
    ],
)
def test_the_order_of_a_first_deployment_is_told(pipeline, image, expected):
    found = of_rule("TRN296", judged(pipeline, image))
    assert [finding.severity.value for finding in found] == expected
    assert all("deploy ours/Images first" in finding.hint for finding in found)


@pytest.mark.parametrize(
    ("pipeline", "words"),
    [
        ({}, "before the first build leave lock_file out, deploy ours/Images"),
        (None, "on this file"),
    ],
)
def test_a_lock_of_what_is_not_built_yet_is_told_the_order(pipeline, words):
    image = {"ssm_parameter": OURS, "lock_file": "images.lock"}
    (found,) = of_rule("TRN281", judged(pipeline, image))
    assert words in found.hint
    assert "trnkit images refresh" in found.hint


@pytest.mark.parametrize(
    ("name", "accepted"),
    [
        ("/imagebuilder/x", True),
        ("/imagebuilder/.x/x./..x/a.b", True),
        ("/imagebuilder/...", True),
        ("/imagebuilder/../x", False),
        ("/imagebuilder/./x", False),
        ("/imagebuilder/x/..", False),
        ("/imagebuilder/x/.", False),
        ("/imagebuilder//x", False),
        ("/imagebuilder/x/", False),
        ("/imagebuilder/x y", False),
        ("/imagebuilder/x\n", False),
        ("/imagebuilder/" + "/".join("abcdefghijkl"), False),
    ],
)
def test_the_parameter_is_one_that_image_builder_can_write(name, accepted):
    pipeline = {"parameter_name": name}
    if accepted:
        assert judged(pipeline)
        return
    with pytest.raises(ConfigurationError) as refused:
        judged(pipeline)
    (finding,) = refused.value.findings
    assert finding.rule_id == "TRN005"
    assert "image_pipeline.parameter_name must " in finding.message
