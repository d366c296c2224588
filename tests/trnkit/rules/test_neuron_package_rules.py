"""Neuron packages that user data installs, against the image and against each other."""

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.eks_templates import plain
from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import Body, nodes, template
from trnkit.rules.reading.neuron_packages import pinned_packages

W, I = ["warning"], ["info"]  # noqa: E741
BASE = "/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id"
LATEST = f"resolve:ssm:{BASE}"
DKMS = "aws-neuronx-dkms"
OWN = "ami-0123456789abcdef0"
INSTALL = "apt-get install -y --allow-downgrades"
OLD = f"{INSTALL} aws-neuronx-dkms=2.21.37.0\n"
OLD_LIKE = f"{INSTALL} 'aws-neuronx-dkms=2.21.*'\n"
SOME = "apt-get install -y aws-neuronx-dkms=2.* aws-neuronx-tools=2.*\n"
OLD_RUNTIME = f"{INSTALL} aws-neuronx-runtime-lib=2.28.19.0-abc\n"
APART = f"{INSTALL} aws-neuronx-dkms=2.29.0.0 \\\n  aws-neuronx-runtime-lib=2.30.*\n"
APART_YUM = (
    "yum install -y aws-neuronx-dkms-2.26.10.0\nyum install -y aws-neuronx-runtime-lib-2.32*\n"
)
TOGETHER = f"{INSTALL} aws-neuronx-dkms=2.26.* aws-neuronx-runtime-lib=2.30.*\n"


def host(image: Any, script: str) -> Body:
    return nodes("trn2.48xlarge", ImageId=image, UserData=plain(f"#!/bin/bash\n{script}"))


@pytest.mark.parametrize(
    ("image", "script", "expected"),
    [
        pytest.param(LATEST, OLD, W, id="HOST-13 a driver of an older SDK"),
        pytest.param(LATEST, OLD_LIKE, W, id="with a star"),
        pytest.param(LATEST, OLD.replace("=2.21.37.0", "-2.21.37.0"), W, id="as dnf writes it"),
        pytest.param(f"{{{{resolve:ssm:{BASE}}}}}", OLD, I, id="the image is of the deployment"),
        pytest.param(LATEST, SOME, [], id="any version"),
        pytest.param(LATEST, f"{INSTALL} aws-neuronx-dkms\n", [], id="the newest"),
        pytest.param(LATEST, f"{INSTALL} aws-neuronx-dkms=$VERSION\n", [], id="a variable"),
        pytest.param(LATEST, f"{INSTALL} aws-neuronx-dkms=2.99.0.0\n", [], id="a newer one"),
        pytest.param(LATEST, f"# {OLD}", [], id="a comment"),
        pytest.param(LATEST, f"dpkg -s aws-neuronx-dkms || {OLD}", [], id="only where missing"),
        pytest.param(LATEST, f"cat >Dockerfile <<X\nRUN {OLD}X\n", [], id="in a container"),
        pytest.param(LATEST, f"docker exec c {OLD}", [], id="inside of a container"),
        pytest.param(LATEST, f"chroot /mnt <<X\n{OLD}X\n", [], id="in another root"),
        pytest.param(LATEST, f"{OLD}docker pull our/image:1\n", W, id="beside containers"),
        pytest.param(LATEST, "apt-get remove -y aws-neuronx-dkms-2.21\n", [], id="removed"),
        pytest.param(LATEST, f"{OLD}{INSTALL} aws-neuronx-dkms=2.99.0.0\n", [], id="several"),
        pytest.param(f"{LATEST}:3", OLD, [], id="any image of the parameter"),
        pytest.param(OWN, OLD, [], id="an image that is not known"),
        pytest.param({"Ref": "Image"}, OLD, [], id="an unknown parameter"),
        pytest.param(LATEST, OLD_RUNTIME, W, id="a runtime that the image's driver refuses"),
        pytest.param(OWN, OLD_RUNTIME, [], id="a runtime on what is not known"),
        pytest.param(OWN, APART, W, id="a runtime that the driver refuses, both installed"),
        pytest.param(OWN, APART_YUM, W, id="a driver that the runtime refuses, both installed"),
        pytest.param(OWN, TOGETHER, [], id="of one SDK"),
    ],
)
def test_packages_that_user_data_installs(image, script, expected):
    found = judge_template(template(Nodes=host(image, script)))
    assert severities("TRN597", found) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"#cloud-config\nruncmd:\n  - {OLD}", W),
        (f"#cloud-config\nwrite_files:\n  - path: /root/old.sh\n    content: {OLD}", []),
    ],
)
def test_what_a_cloud_config_runs_counts_and_what_it_only_writes_does_not(text, expected):
    body = nodes("trn2.48xlarge", ImageId=LATEST, UserData=plain(text))
    assert severities("TRN597", judge_template(template(Nodes=body))) == expected


def test_host_13_what_a_downgrade_takes_the_place_of_is_said():
    (finding,) = of_rule("TRN597", judge_template(template(Nodes=host(LATEST, OLD))))
    assert finding.message.startswith(
        "Nodes: user data installs aws-neuronx-dkms 2.21.37.0 in place of 2."
    )
    assert finding.message.endswith("or newer, which base/ubuntu-24.04 has")
    assert finding.path.endswith("/UserData")


def test_a_container_is_not_judged_by_a_driver_that_user_data_replaces():
    script = f"{OLD}docker run public.ecr.aws/neuron/pytorch-training-neuronx:2.9.0-sdk2.29.0\n"
    found = judge_template(template(Nodes=host(LATEST, script)))
    assert not of_rule("TRN595", found)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("sudo dnf downgrade -y aws-neuronx-dkms-2.22.2.0", {DKMS: "2.22.2.0"}),
        ("apt install aws-neuronx-dkms=2.22.2.0 # pinned", {DKMS: "2.22.2.0"}),
        ("apt-get update && apt-get install aws-neuronx-dkms=2.22 || true", {DKMS: "2.22"}),
        ("if true\nthen\napt-get install aws-neuronx-dkms=2.22\nfi", {}),
        ("if true; then apt-get install aws-neuronx-dkms=2.22; fi", {}),
        ("if true; then :; fi\napt-get install aws-neuronx-dkms=2.22", {DKMS: "2.22"}),
        ("if a\nthen\nif b\nthen :\nfi\napt install aws-neuronx-dkms=2.22\nfi", {}),
        ("case $ID in\nubuntu) apt install aws-neuronx-dkms=2.22 ;;\nesac", {}),
        ("which neuron-top || apt-get install aws-neuronx-dkms=2.22", {}),
        ("echo apt; pip install aws-neuronx-dkms=2.22", {}),
        ("apt-get install my-aws-neuronx-dkms=2.22", {}),
        ("apt-get install aws-neuronx-dkms=2", {}),
        ("apt-get install -y aws-neuronx-dkms-dev=2.22.1", {}),
    ],
)
def test_what_a_script_pins(script, expected):
    assert pinned_packages(f"#!/bin/bash\n{script}\n") == expected
