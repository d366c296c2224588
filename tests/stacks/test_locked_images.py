"""Images of a lock: what reaches the launch template, and what never does."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from tests.synthesis import ROOT
from trnkit.config import ClusterConfig, load_cluster
from trnkit.errors import ConstructError

EXAMPLE = ROOT / "examples" / "locked-image.yaml"
LOCK = ROOT / "examples" / "images.lock"
PARAMETER = "/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id"


@pytest.fixture
def cluster(tmp_path):
    """The example, with its lock changed, or without one."""

    def with_lock(change=None):
        (tmp_path / "locked-image.yaml").write_text(EXAMPLE.read_text())
        content = yaml.safe_load(LOCK.read_text())
        if change is not None:
            content["images"] = [change(entry) for entry in content["images"]]
            (tmp_path / "images.lock").write_text(yaml.safe_dump(content))
        return load_cluster(tmp_path / "locked-image.yaml").config

    return with_lock


def data_of(assembly):
    return assembly.only("Compute", "AWS::EC2::LaunchTemplate")["LaunchTemplateData"]


def test_ami_03_the_template_has_the_id_and_no_parameter(synthesize, cluster):
    built = synthesize(cluster(lambda entry: entry))
    assert data_of(built)["ImageId"] == "ami-0123456789abcdef0"
    text = json.dumps(built.templates)
    assert "resolve:ssm" not in text
    assert PARAMETER not in text
    assert "dummy" not in text


def test_ami_03_what_nodes_do_not_boot_from_changes_no_template(synthesize, cluster):
    """A refresh that finds the same image moves the day, and the newest facts, and no node."""
    before = synthesize(cluster(lambda entry: entry)).templates
    again = {"resolved": "2026-11-30", "neuron_sdk": "2.33.0", "name": "another"}
    assert synthesize(cluster(lambda entry: entry | again)).templates == before


def test_ami_03_a_new_image_changes_its_id_and_nothing_else(synthesize, cluster):
    before = synthesize(cluster(lambda entry: entry)).templates
    new = "ami-00000000000000001"
    after = synthesize(cluster(lambda entry: entry | {"ami_id": new})).templates
    assert json.loads(json.dumps(after).replace(new, "ami-0123456789abcdef0")) == before


def test_ami_02_the_root_device_is_the_one_that_aws_told(synthesize, cluster):
    other = cluster(lambda entry: entry | {"root_device_name": "/dev/xvda"})
    (mapping,) = data_of(synthesize(other))["BlockDeviceMappings"]
    assert mapping["DeviceName"] == "/dev/xvda"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(None, id="no lock"),
        pytest.param(
            lambda entry: (
                entry | {"region": "eu-north-1"} | {"ssm_parameter": f"/images/{entry['ami_id']}"}
            ),
            id="another region",
        ),
    ],
)
def test_what_the_lock_lacks_never_floats(synthesize, cluster, change):
    with pytest.raises(ConstructError, match=r"images\.lock, holds no image .* images refresh"):
        synthesize(cluster(change))


def test_a_lock_that_nobody_read_never_floats(synthesize):
    config = ClusterConfig.model_validate(yaml.safe_load(EXAMPLE.read_text()))
    with pytest.raises(ConstructError, match=re.escape("was not read: load_cluster")):
        synthesize(config)
