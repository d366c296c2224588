"""Releases of the Neuron SDK, and what each generation runs on."""

import pytest

from trnkit.catalog import images, neuron_image, neuron_images
from trnkit.catalog import neuron_sdk as sdk

CONTAINERS = "public.ecr.aws/neuron"


def test_releases_are_in_order_and_so_are_their_parts():
    releases = sdk.neuron_releases()
    for part in ("version", "driver", "runtime"):
        known = [value for found in releases if (value := getattr(found, part))]
        assert known == sorted(known, key=sdk.version_key)
    days = [found.released for found in releases]
    assert days == sorted(days)


@pytest.mark.parametrize(
    ("version", "driver", "runtime"),
    [
        ("2.30.0", "2.28.0.0", "2.32.31.0"),
        ("2.32.0", "2.30.2.0", "2.34.10.0"),
        ("2.33.0", "2.31.7.0", "2.35.30.0"),
    ],
)
def test_a_release_has_its_driver_and_its_runtime(version, driver, runtime):
    found = sdk.find_neuron_release(version)
    assert (found.driver, found.runtime) == (driver, runtime)
    assert sdk.find_neuron_release("2.99.0") is None


@pytest.mark.parametrize(
    ("version", "least", "most", "runtime"),
    [
        ("2.29.1", "2.27.4.0", "2.28.0.0", "2.32.31.0"),
        ("2.27.0", "2.24.7.0", "2.26.5.0", "2.29.40.0"),
        ("2.25.0", None, "2.24.7.0", "2.28.19.0"),
        ("2.34.0", "2.31.7.0", None, None),
    ],
)
def test_a_release_that_is_not_listed_is_between_its_neighbours(version, least, most, runtime):
    assert sdk.driver_at_least(version) == least
    assert sdk.driver_at_most(version) == most
    assert sdk.runtime_at_most(version) == runtime


@pytest.mark.parametrize(
    ("image", "version"),
    [
        (
            f"{CONTAINERS}/pytorch-training-neuronx:2.9.0-neuronx-py312-sdk2.29.0-ubuntu24.04",
            "2.29.0",
        ),
        (f"{CONTAINERS}/jax-training-neuronx:0.10.0-neuronx-py313-sdk2.32.0", "2.32.0"),
        (
            "763104351884.dkr.ecr.us-east-2.amazonaws.com/pytorch-training-neuronx:"
            "2.9.0-neuronx-py312-sdk2.30.0-ubuntu24.04-sagemaker",
            "2.30.0",
        ),
        (f"{CONTAINERS}/neuron-monitor:1.3.0", None),
        ("example.com/train:1-sdk2.29.0", None),
        (f"{CONTAINERS}/pytorch-training-neuronx@sha256:0123", None),
        ("", None),
    ],
)
def test_a_container_names_its_release(image, version):
    assert sdk.container_sdk(image) == version


@pytest.mark.parametrize(
    ("kind", "name", "framework"),
    [
        ("torch-neuronx-2.14", None, "TorchNeuron"),
        ("pytorch-2.13", None, "TorchNeuron"),
        ("pytorch-2.9", None, None),
        ("pytorch-inference-vllm-0.24.0.1.1.0", None, "vLLM plugin"),
        ("pytorch-inference-vllm-0.16", None, None),
        ("base", "Deep Learning Base Neuron AMI (Ubuntu 24.04) 20260818", None),
        (
            None,
            "Deep Learning AMI Neuron torch-neuronx 2.14.0 (Ubuntu 24.04) 20261020",
            "TorchNeuron",
        ),
        (None, "Deep Learning AMI Neuron PyTorch 2.9 (Ubuntu 24.04) 20260813", None),
        (None, None, None),
    ],
)
def test_the_framework_of_an_image(kind, name, framework):
    found = sdk.framework_of_image(kind=kind, name=name)
    assert (found and found.name) == framework


@pytest.mark.parametrize(
    ("end", "framework"),
    [
        ("pytorch-training-neuronx:2.14.0-neuronx-py312-sdk2.33.0-ubuntu24.04", "TorchNeuron"),
        ("pytorch-training-neuronx:2.9.0-neuronx-py312-sdk2.29.0-ubuntu24.04", None),
        ("pytorch-inference-vllm-neuronx:0.24.0.1.1.0-sdk2.32.0", "vLLM plugin"),
        ("pytorch-inference-vllm-neuronx:1", None),
        ("jax-training-neuronx:0.10.0-neuronx-py313-sdk2.32.0-ubuntu24.04", None),
    ],
)
def test_the_framework_of_a_container(end, framework):
    found = sdk.framework_of_container(f"{CONTAINERS}/{end}")
    assert (found and found.name) == framework


@pytest.mark.parametrize(
    ("kind", "os", "instead"),
    [
        ("jax-0.7", "ubuntu-22.04", "ubuntu-24.04"),
        ("pytorch-2.9", "amazon-linux-2023", "ubuntu-24.04"),
        ("multi-framework", "amazon-linux-2023", "ubuntu-24.04"),
        ("pytorch-2.8", "amazon-linux-2023", None),
        ("jax-0.10", "amazon-linux-2023", None),
        ("base", "ubuntu-24.04", None),
    ],
)
def test_retired_images(kind, os, instead):
    found = sdk.retired_image(kind, os)
    assert (found and found.instead) == instead


def test_no_current_image_is_retired_and_frozen_ones_hold_known_releases():
    for image in neuron_images():
        if image.status == "current":
            assert sdk.retired_image(image.kind, image.os) is None
            assert sdk.find_neuron_release(image.neuron_sdk)
        elif image.neuron_sdk:
            assert sdk.find_neuron_release(image.neuron_sdk)


def test_ami_01_what_trains_on_trn1_is_on_an_image_that_still_resolves():
    training = sdk.xla_training()
    assert training.instance_families == ("trn1", "trn1n")
    (held,) = [image for image in neuron_images() if image.kind == training.image_kind]
    assert (held.status, held.neuron_sdk) == ("frozen", "2.31.1")
    assert any(image.kind == training.left_kind for image in neuron_images())


def test_kinds_of_images():
    kinds = {kind.name: kind for kind in images.image_kinds()}
    assert list(kinds) == [
        "neuron-dlami",
        "eks-neuron",
        "eks-bottlerocket",
        "ecs-neuron",
        "pcs-neuron",
        "pcs-sample",
        "hyperpod-default",
        "own",
    ]
    assert kinds["pcs-sample"].drivers == ("nvidia",)
    assert kinds["pcs-sample"].used_by == ()
    assert (kinds["eks-neuron"].root_device_name, kinds["eks-neuron"].root_volume_gib) == (
        "/dev/xvda",
        None,
    )
    assert (kinds["ecs-neuron"].has_efa, kinds["ecs-neuron"].root_volume_gib) == (False, None)
    users = {user for kind in kinds.values() for user in kind.used_by}
    assert users == {"ec2", "eks", "ecs", "batch", "pcs", "hyperpod", "parallelcluster"}
    for kind in kinds.values():
        assert images.find_image_kind(kind.name) is kind


@pytest.mark.parametrize(
    ("parameter", "kind"),
    [
        ("/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id", "neuron-dlami"),
        (
            "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/neuron/recommended/image_id",
            "eks-neuron",
        ),
        ("/aws/service/bottlerocket/aws-k8s-1.34/x86_64/latest/image_id", "eks-bottlerocket"),
        (
            "/aws/service/ecs/optimized-ami/amazon-linux-2023/neuron/recommended/image_id",
            "ecs-neuron",
        ),
        ("/aws/service/pcs/ami/dlami-base-ubuntu2404/x86_64/latest/ami-id", "pcs-sample"),
        ("/ours/golden", None),
    ],
)
def test_the_kind_of_a_parameter(parameter, kind):
    found = images.image_kind_of(parameter)
    assert (found and found.name) == kind


def test_a_kind_and_an_operating_system_are_read_from_a_parameter():
    name = "/aws/service/neuron/dlami/jax-0.10/amazon-linux-2023/latest/image_id"
    assert images.kind_and_os(name) == ("jax-0.10", "amazon-linux-2023")
    assert neuron_image(name) is not None
    assert images.kind_and_os("/ours/golden") is None
