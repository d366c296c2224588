"""Neuron image parameters and what the operating systems call things."""

import re

import pytest

from trnkit import catalog

PATTERN = re.compile(r"/aws/service/neuron/dlami/[a-z0-9.-]+/[a-z0-9.-]+/latest/image_id")


def test_every_parameter_follows_the_pattern():
    for image in catalog.neuron_images():
        assert PATTERN.fullmatch(image.parameter_name)
        filled = catalog.neuron_image_parameter_pattern()
        filled = filled.replace("<kind>", image.kind).replace("<os>", image.os)
        assert image.parameter_name == filled
        assert image.os in catalog.operating_systems()


def test_lookup():
    name = "/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id"
    image = catalog.neuron_image(name)
    assert (image.kind, image.os, image.status) == ("base", "ubuntu-24.04", "current")
    assert catalog.neuron_image("/aws/service/neuron/dlami/pytorch-2.5/latest/ami-id") is None


def test_retired_flavours():
    status = {(image.kind, image.os): image.status for image in catalog.neuron_images()}
    assert status["pytorch-2.9", "ubuntu-24.04"] == "frozen"
    assert status["base", "ubuntu-22.04"] == "frozen"
    assert status["multi-framework", "ubuntu-22.04"] == "gone"
    current = {os for (_, os), state in status.items() if state == "current"}
    assert current == {"ubuntu-24.04", "amazon-linux-2023"}


@pytest.mark.parametrize(
    ("os", "device", "user"),
    [
        ("ubuntu-24.04", "/dev/sda1", "ubuntu"),
        ("ubuntu-22.04", "/dev/sda1", "ubuntu"),
        ("amazon-linux-2023", "/dev/xvda", "ec2-user"),
        ("windows-2025", None, None),
    ],
)
def test_operating_systems(os, device, user):
    assert (catalog.root_device_name(os), catalog.default_user(os)) == (device, user)


def test_root_volume():
    guidance = catalog.root_volume_guidance()
    assert (guidance.minimum_gib, guidance.recommended_gib) == (100, 200)
    assert guidance.documented_gb_for_trn == 512


def test_images_of_other_services():
    patterns = {entry.host: entry.pattern for entry in catalog.host_image_parameters()}
    assert set(patterns) == {"eks", "ecs"}
    assert "<kubernetes_version>" in patterns["eks"]
