"""What is read from an image's description, and what is not guessed."""

from __future__ import annotations

from datetime import date

import pytest

from trnkit.aws.ec2 import ImageDescription
from trnkit.aws.ssm import ParameterValue
from trnkit.operations.image_facts import ImageValueError, locked_from

AMI = "ami-0123456789abcdef0"
TODAY = date(2026, 11, 30)


class Described:
    """Stands for EC2."""

    def __init__(self, **facts):
        keys = ImageDescription.__dataclass_fields__
        self.image = ImageDescription(**dict.fromkeys(keys) | {"image_id": AMI} | facts)
        self.asked = []

    def images(self, image_ids):
        self.asked.append(image_ids)
        return {AMI: self.image}


def value(held=AMI, name="my-image"):
    return ParameterValue(name=name, value=held, version=1, last_modified=None)


def locked(**facts):
    (image,) = locked_from([value()], Described(**facts), region="us-east-2", today=TODAY)
    return image


def test_what_is_not_told_is_left_out():
    assert locked().model_dump(exclude_none=True) == {
        "ssm_parameter": "my-image",
        "region": "us-east-2",
        "ami_id": AMI,
        "resolved": "2026-11-30",
    }


def test_an_image_that_ec2_did_not_describe_is_locked_all_the_same():
    ec2 = Described()
    ec2.images = lambda image_ids: {}
    (image,) = locked_from([value()], ec2, region="us-east-2", today=TODAY)
    assert image.ami_id == AMI


def test_parameters_of_one_image_ask_for_it_once():
    ec2 = Described()
    values = [value(name="/b"), value(name="/a")]
    assert len(locked_from(values, ec2, region="us-east-2", today=TODAY)) == 2
    assert ec2.asked == [[AMI]]


@pytest.mark.parametrize(
    ("description", "sdk"),
    [
        ("Neuron SDK 2.32.0", "2.32.0"),
        ("Neuron SDK version: 2.31.1. PyTorch 2.9", "2.31.1"),
        ("with AWS Neuron SDK v2.33 on it", "2.33"),
        ("neuron sdk release 2.32.0", "2.32.0"),
        ("Neuron SDK", None),
        ("Neuron SDK and what belongs to it, PyTorch 2.9", None),
        ("PyTorch 2.9, Neuron driver 2.31.7.0", None),
        ("Neuron SDK 2", None),
        ("", None),
        (None, None),
    ],
)
def test_the_neuron_sdk(description, sdk):
    assert locked(description=description).neuron_sdk == sdk


@pytest.mark.parametrize(
    ("description", "families"),
    [
        ("Supported EC2 instances: Trn2, Trn3. More.", ("Trn2", "Trn3")),
        ("Supported EC2 instances: Inf2, Trn1, Trn1n", ("Inf2", "Trn1", "Trn1n")),
        ("Supported EC2 instances: Trn1, Trn2 and Trn3.", ("Trn1", "Trn2", "Trn3")),
        ("Supported EC2 instances: Trn1, Trn2, and Trn3; x", ("Trn1", "Trn2", "Trn3")),
        ("Supported instances: Trn2|x", ("Trn2",)),
        ("Supported EC2 instances: Trn2, Trn2.", ("Trn2",)),
        ("Supported EC2 instances: Trn1, Trn2 or later.", None),
        ("Supported EC2 instances: all of them.", None),
        ("Trn2", None),
    ],
)
def test_families_are_read_only_from_a_list_that_ends_like_one(description, families):
    assert locked(description=description).instance_families == families


@pytest.mark.parametrize(
    ("facts", "key"),
    [
        ({"name": "a\x07b"}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x" * 600}, "name"),
        ({"name": "${Token}"}, "name"),
        ({"creation_date": "soon"}, "created"),
        ({"architecture": "X 86"}, "architecture"),
        ({"root_device_name": "/dev/nvme0n1"}, "root_device_name"),
        ({"root_volume_size_gib": 0}, "root_volume_size_gib"),
    ],
)
def test_a_fact_in_a_form_that_nobody_knows_is_left_out_alone(facts, key):
    image = locked(**{"architecture": "x86_64"} | facts)
    assert getattr(image, key) is None
    assert image.architecture == ("x86_64" if key != "architecture" else None)


@pytest.mark.parametrize(
    "held", ["", "ami-1", "ami-0123456789ABCDEF0", '{"image_id": "ami-1"}', f"{AMI} ", "x" * 4000]
)
def test_a_parameter_that_holds_no_id(held):
    with pytest.raises(ImageValueError, match=r"my-image in us-east-2 holds .*no id of an image"):
        locked_from([value(held)], Described(), region="us-east-2", today=TODAY)
