"""Cores, images, interfaces and placement of a group's nodes."""

import dataclasses

import pytest

from trnkit.catalog import instance_type, operating_systems
from trnkit.layout.nodes import (
    DEFAULT_IMAGE_PARAMETER,
    image_of,
    interfaces_of,
    neuron_cores,
    uses_efa,
    uses_placement_group,
)

AMI = "ami-0123456789abcdef0"


@pytest.mark.parametrize(
    ("name", "size", "devices", "physical", "logical"),
    [
        pytest.param("trn2.48xlarge", None, 16, 128, 64, id="HOST-10 trn2 by default"),
        pytest.param("trn2.48xlarge", 2, 16, 128, 64, id="HOST-10 trn2 at 2"),
        pytest.param("trn2.48xlarge", 1, 16, 128, 128, id="HOST-10 trn2 at 1"),
        pytest.param("trn2u.48xlarge", None, 16, 128, 64, id="HOST-10 trn2u"),
        pytest.param("trn2.3xlarge", None, 1, 8, 4, id="HOST-10 small trn2"),
        pytest.param("trn2.3xlarge", 1, 1, 8, 8, id="HOST-10 small trn2 at 1"),
        pytest.param("trn1.32xlarge", None, 16, 32, 32, id="HOST-10 trn1"),
        pytest.param("trn1.32xlarge", 1, 16, 32, 32, id="HOST-10 trn1 at 1"),
        pytest.param("trn1n.32xlarge", None, 16, 32, 32, id="HOST-10 trn1n"),
        pytest.param("trn1.2xlarge", None, 1, 2, 2, id="HOST-10 small trn1"),
        pytest.param("inf2.48xlarge", None, 12, 24, 24, id="inf2"),
    ],
)
def test_cores(name, size, devices, physical, logical):
    cores = neuron_cores(instance_type(name), size)
    assert (cores.devices, cores.physical, cores.logical) == (devices, physical, logical)
    assert cores.logical * cores.logical_size == cores.physical
    assert size is None or cores.logical_size == size


@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        pytest.param("trn1.32xlarge", 2, "groups 1 cores .*, not 2", id="HOST-10 2 on trn1"),
        pytest.param("inf2.xlarge", 2, "groups 1 cores .*, not 2", id="2 on inf2"),
        pytest.param("trn2.48xlarge", 4, "groups 1 or 2 cores .*, not 4", id="4 on trn2"),
        pytest.param("trn2.48xlarge", 0, "groups 1 or 2 cores .*, not 0", id="0 is not left out"),
        pytest.param("trn2.48xlarge", -1, "not -1", id="negative"),
    ],
)
def test_sizes_a_type_does_not_have(name, size, message):
    with pytest.raises(ValueError, match=message):
        neuron_cores(instance_type(name), size)


@pytest.mark.parametrize(
    "unknown",
    [
        {"chips": None},
        {"neuron_cores_per_chip": None},
        {"logical_neuroncore_sizes": (), "default_logical_neuroncore_size": None},
    ],
    ids=lambda unknown: "+".join(unknown),
)
@pytest.mark.parametrize("size", [None, 2])
def test_unknown_chips_have_no_number_of_cores(unknown, size):
    made = dataclasses.replace(instance_type("trn2.48xlarge"), **unknown)
    assert neuron_cores(made, size) is None


@pytest.mark.parametrize(
    ("image", "ami_id", "parameter", "system"),
    [
        pytest.param(None, None, DEFAULT_IMAGE_PARAMETER, "ubuntu-24.04", id="left out"),
        pytest.param({}, None, DEFAULT_IMAGE_PARAMETER, "ubuntu-24.04", id="empty section"),
        pytest.param({"ami_id": AMI}, AMI, None, "ubuntu-24.04", id="AMI"),
        pytest.param(
            {"ami_id": AMI, "operating_system": "amazon-linux-2023"},
            AMI,
            None,
            "amazon-linux-2023",
            id="AMI of Amazon Linux",
        ),
        pytest.param(
            {"ssm_parameter": "/x/ubuntu-22.04/y"},
            None,
            "/x/ubuntu-22.04/y",
            "ubuntu-22.04",
            id="by name",
        ),
        pytest.param(
            {"ssm_parameter": "/x/amazon-linux-2023/y"},
            None,
            "/x/amazon-linux-2023/y",
            "amazon-linux-2023",
            id="Amazon Linux by name",
        ),
        pytest.param({"ssm_parameter": "/mine"}, None, "/mine", "ubuntu-24.04", id="says nothing"),
        pytest.param(
            {"ssm_parameter": "/ubuntu-22.04", "operating_system": "ubuntu-24.04"},
            None,
            "/ubuntu-22.04",
            "ubuntu-24.04",
            id="the file is believed before the name",
        ),
    ],
)
def test_images(group, image, ami_id, parameter, system):
    plan = image_of(group(image=image))
    assert (plan.ami_id, plan.ssm_parameter, plan.operating_system) == (ami_id, parameter, system)
    root = "/dev/xvda" if system == "amazon-linux-2023" else "/dev/sda1"
    assert plan.root_device_name == root


def test_the_default_image_is_one_that_the_catalogue_knows():
    assert any(system in DEFAULT_IMAGE_PARAMETER for system in operating_systems())


@pytest.mark.parametrize(
    ("keys", "interfaces", "efa", "placement"),
    [
        pytest.param({}, 17, True, True, id="trn2"),
        pytest.param({"count": 0}, 17, True, False, id="NET-09 no nodes"),
        pytest.param({"efa": {"interfaces": 0}}, 1, False, False, id="EFA off"),
        pytest.param({"instance_type": "trn1.2xlarge"}, 1, False, False, id="no EFA"),
        pytest.param({"instance_type": "inf2.48xlarge"}, 1, False, False, id="inf2"),
        pytest.param({"instance_type": "trn9.96xlarge"}, None, False, False, id="unknown type"),
        pytest.param({"efa": {"interfaces": 17}}, None, False, False, id="more than there are"),
    ],
)
def test_interfaces_and_placement(group, keys, interfaces, efa, placement):
    made = group(**keys)
    found = interfaces_of(made)
    assert (None if found is None else len(found)) == interfaces
    assert uses_efa(made) is efa
    assert uses_placement_group(made) is placement
