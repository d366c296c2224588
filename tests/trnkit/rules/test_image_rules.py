"""Rules about images of locks, beyond the good and bad example that each carries."""

from __future__ import annotations

import pytest
import yaml

from tests.trnkit.rules.judging import SMALLEST_CLUSTER, of_rule, overlaid
from trnkit.config import ClusterConfig, read_cluster, with_image_locks
from trnkit.config.image_lock import ImageLock
from trnkit.findings import Severity
from trnkit.rules import check_cluster

VLLM = "/aws/service/neuron/dlami/pytorch-inference-vllm-0.24.0.1.1.0/ubuntu-24.04/latest/image_id"
BASE = "/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id"


@pytest.fixture
def judge(tmp_path):
    """All findings on one node group with a lock of one image; `None` writes no lock."""

    def with_lock(locked, *, image=None, region="us-east-2", **group):
        parameter = (locked or {}).get("ssm_parameter", "my-image")
        keys = {"ssm_parameter": parameter, "lock_file": "images.lock"} if image is None else image
        nodes = SMALLEST_CLUSTER["compute"]["node_groups"][0] | {"image": keys} | group
        data = overlaid(SMALLEST_CLUSTER, {"region": region, "compute": {"node_groups": [nodes]}})
        if locked is not None:
            entry = {
                "ssm_parameter": "my-image",
                "region": "us-east-2",
                "ami_id": "ami-00000000000000001",
                "resolved": "2026-09-01",
            } | locked
            text = yaml.safe_dump({"version": 1, "images": [entry]})
            (tmp_path / "images.lock").write_text(text)
        return check_cluster(read_cluster(yaml.safe_dump(data), str(tmp_path / "cluster.yaml")))

    return with_lock


def test_ami_03_a_locked_image_does_not_float_and_nothing_is_said(judge):
    assert not [f for f in judge({}) if f.rule_id in ("TRN204", "TRN281", "TRN284")]


def test_ami_03_a_lock_alone_names_an_image(judge):
    assert not of_rule("TRN204", judge({"ssm_parameter": BASE}, image={"lock_file": "images.lock"}))
    (finding,) = of_rule("TRN204", judge(None, image={}))
    assert "lock_file" in finding.hint


@pytest.mark.parametrize(
    ("locked", "words"),
    [
        (None, "is images.lock: there is no such file"),
        ({"region": "us-west-2"}, "it has no image of my-image in us-east-2"),
        ({"ssm_parameter": "my-image:2"}, "it has no image of other in us-east-2"),
    ],
)
def test_what_a_lock_lacks_is_an_error_with_the_command(judge, locked, words):
    named = "other" if "other" in words else "my-image"
    image = {"ssm_parameter": named, "lock_file": "images.lock"}
    (finding,) = of_rule("TRN281", judge(locked, image=image))
    assert words in finding.message
    assert "trnkit images refresh" in finding.hint
    assert finding.severity is Severity.ERROR
    assert finding.path == "compute.node_groups[0].image.lock_file"


def test_a_fixed_image_beside_a_lock_is_one_finding(judge):
    fixed = {"ami_id": "ami-00000000000000002", "lock_file": "images.lock"}
    found = judge({}, image=fixed)
    assert len(of_rule("TRN280", found)) == 1
    assert not of_rule("TRN281", found)


def test_cap_15_a_region_without_parameters_has_nothing_to_lock(judge):
    image = {"lock_file": "images.lock"}
    (finding,) = of_rule("TRN204", judge({}, image=image, region="ap-south-2"))
    assert "needs an ami_id: ap-south-2 has no" in finding.message


@pytest.mark.parametrize(
    ("architecture", "instance_type", "fires"),
    [
        ("x86_64", "trn2.48xlarge", False),
        ("arm64", "trn2.48xlarge", True),
        ("arm64", "trn9.48xlarge", False),
        (None, "trn2.48xlarge", False),
    ],
)
def test_architecture(judge, architecture, instance_type, fires):
    found = judge({"architecture": architecture}, instance_type=instance_type)
    assert bool(of_rule("TRN282", found)) is fires


@pytest.mark.parametrize(
    ("families", "instance_type", "fires"),
    [
        (["Trn2", "Trn3"], "trn2.48xlarge", False),
        (["Trn2", "Trn3"], "trn2.3xlarge", False),
        (["Trn2", "Trn3"], "trn2u.48xlarge", False),
        (["Trn2", "Trn3"], "trn1.32xlarge", True),
        (["Trn1", "Inf2"], "trn1n.32xlarge", True),
        (["Trn1"], "trn9.48xlarge", False),
        (None, "trn1.32xlarge", False),
    ],
)
def test_families_that_the_image_tells(judge, families, instance_type, fires):
    found = judge({"instance_families": families}, instance_type=instance_type)
    assert [f.severity for f in of_rule("TRN283", found)] == [Severity.WARNING] * fires


@pytest.mark.parametrize(
    ("image", "instance_type", "fires"),
    [
        ({"ssm_parameter": VLLM}, "trn1.32xlarge", True),
        ({"ssm_parameter": VLLM}, "trn2.48xlarge", False),
        ({"ssm_parameter": BASE}, "trn1.32xlarge", False),
        ({"ami_id": "ami-00000000000000001"}, "trn1.32xlarge", False),
        ({}, "trn1.32xlarge", False),
    ],
)
def test_families_that_the_catalogue_tells_of_a_parameter(judge, image, instance_type, fires):
    assert bool(of_rule("TRN283", judge(None, image=image, instance_type=instance_type))) is fires


def test_what_the_image_tells_counts_before_the_catalogue(judge):
    told = {"ssm_parameter": VLLM, "instance_families": ["Trn1", "Trn2"]}
    assert not of_rule("TRN283", judge(told, instance_type="trn1.32xlarge"))


@pytest.mark.parametrize(
    ("snapshot", "size", "severity"),
    [
        (600, 512, Severity.ERROR),
        (600, 600, None),
        (16, 16, Severity.INFO),
        (None, 80, Severity.INFO),
    ],
)
def test_ami_02_the_root_volume_holds_the_snapshot_that_aws_described(
    judge, snapshot, size, severity
):
    found = of_rule("TRN205", judge({"root_volume_size_gib": snapshot}, root_volume_size_gib=size))
    assert [f.severity for f in found] == ([severity] if severity else [])
    if severity is Severity.ERROR:
        assert "the locked ami-00000000000000001 needs 600 GiB" in found[0].message
        assert found[0].hint == "write 600 or more"


def test_ami_02_a_smaller_snapshot_than_usual_is_believed(judge):
    told = {"ssm_parameter": BASE, "root_volume_size_gib": 60}
    (finding,) = of_rule("TRN205", judge(told, root_volume_size_gib=80))
    assert finding.severity is Severity.WARNING


def test_a_lock_does_not_make_a_public_image_one_with_packages(judge):
    told = {"ssm_parameter": BASE}
    region = {"image": {"ssm_parameter": BASE, "lock_file": "images.lock"}}
    data = overlaid(SMALLEST_CLUSTER, {"network": {"nat_gateway": False}})
    data["compute"]["node_groups"][0] |= region
    config = ClusterConfig.model_validate(data)
    entry = {"region": "us-east-2", "ami_id": "ami-00000000000000001", "resolved": "2026-09-01"}
    lock = ImageLock.model_validate({"version": 1, "images": [entry | told]})
    from trnkit.rules.config.network.isolated_packages import RULE

    assert len(list(RULE.check(with_image_locks(config, {"images.lock": lock})))) == 1
