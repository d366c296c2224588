"""User data of every example, as cloud-init and a shell read it."""

from __future__ import annotations

import email
import shutil
import subprocess

import pytest
import yaml

from tests.synthesis import EXAMPLES, example_assembly
from trnkit.config import load_cluster
from trnkit.layout.boot_settings import largest_user_data

LONGEST = "n" * 80  # More than any name has that is known at deployment only.
CLOUD_INIT = shutil.which("cloud-init")
KNOWN_TYPES = {"text/cloud-config", "text/x-shellscript"}


def as_deployed(value):
    """A template's value with each name that CloudFormation fills in at its longest."""
    if isinstance(value, str):
        return value
    ((function, given),) = value.items()
    if function == "Fn::Base64":
        return as_deployed(given)
    if function == "Fn::Join":
        return given[0].join(as_deployed(part) for part in given[1])
    assert function in ("Ref", "Fn::GetAtt", "Fn::ImportValue", "Fn::Sub"), function
    return LONGEST


def user_data(path):
    """The user data of each launch template of an example."""
    templates = example_assembly(path).resources("Compute", "AWS::EC2::LaunchTemplate")
    assert templates
    for logical_id, resource in templates.items():
        text = as_deployed(resource["Properties"]["LaunchTemplateData"]["UserData"])
        yield logical_id, text


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_ami_06_and_07_user_data_is_a_small_mime_archive_of_yaml_and_shell(path):
    for logical_id, text in user_data(path):
        size = len(text.encode())
        print(f"{path.stem} {logical_id}: {size} bytes of 16384")
        assert size < 16_384
        archive = email.message_from_string(text)
        assert not archive.defects
        parts = archive.get_payload()
        assert {part.get_content_type() for part in parts} == KNOWN_TYPES
        for part in parts:
            assert not part.defects
            content = part.get_payload()
            if part.get_content_type() == "text/cloud-config":
                written = yaml.safe_load(content)["write_files"]
                paths = [entry["path"] for entry in written]
                assert paths[0] == "/etc/trnkit/settings.sh"
                content = written[0]["content"]
            ran = subprocess.run(
                ["bash", "-n"], input=content, capture_output=True, text=True, check=False
            )
            assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_ami_06_the_check_counts_a_little_more_than_there_is(path):
    cluster = load_cluster(path).config
    texts = dict(user_data(path))
    for group in cluster.compute.node_groups:
        name = f"NodeGroup{group.name}LaunchTemplate".replace("-", "")
        (text,) = (text for logical_id, text in texts.items() if logical_id.startswith(name))
        counted = largest_user_data(cluster, group)
        print(f"{path.stem} {group.name}: {len(text.encode())}, counted as {counted}")
        assert 0 <= counted - len(text.encode()) < 700


@pytest.mark.skipif(CLOUD_INIT is None, reason="cloud-init is not installed")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_cloud_init_knows_every_key_of_the_cloud_config(path, tmp_path):
    for logical_id, text in user_data(path):
        (config, *_) = email.message_from_string(text).get_payload()
        file = tmp_path / f"{logical_id}.yaml"
        file.write_text(config.get_payload())
        ran = subprocess.run(
            [CLOUD_INIT, "schema", "--config-file", str(file)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        assert "Valid" in ran.stdout


@pytest.mark.skipif(CLOUD_INIT is None, reason="cloud-init is not installed")
def test_cloud_init_would_say_what_is_wrong(tmp_path):
    file = tmp_path / "wrong.yaml"
    file.write_text("#cloud-config\nwrite_files: [{path: /etc/x, permissions: 644}]\n")
    ran = subprocess.run(
        [CLOUD_INIT, "schema", "--config-file", str(file)], capture_output=True, check=False
    )
    assert ran.returncode != 0
