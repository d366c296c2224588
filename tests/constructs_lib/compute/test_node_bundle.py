"""The bundle of boot scripts: its digest, its asset, who may read it, and what stands beside it."""

from __future__ import annotations

import base64
import bz2
import email
import hashlib
import json
import re
import shutil

import pytest
from aws_cdk import App, Stack
from aws_cdk import aws_iam as iam
from aws_cdk.assertions import Match, Template

from constructs_lib.compute import NodeBoot, NodeBundle, NodeReports, NodeRole, node_bundle
from constructs_lib.compute.node_bundle import FOLDER, file_digests
from constructs_lib.compute.node_stages import INLINE_STEPS
from tests.synthesis import ROOT
from trnkit.errors import ConstructError
from trnkit.layout.node_settings import NodeSettings


@pytest.fixture
def stack():
    return Stack(App(), "Compute")


def shell_part(user_data):
    (*_, part) = email.message_from_string(user_data).get_payload()
    assert part.get_content_type() == "text/x-shellscript"
    return part.get_payload()


def test_every_file_that_ships_has_its_digest():
    lines = [line.split("  ") for line in file_digests().splitlines()]
    assert [path for _, path in lines] == sorted(path for _, path in lines)
    for digest, path in lines:
        assert hashlib.sha256((FOLDER / path).read_bytes()).hexdigest() == digest
    ours = {p.relative_to(FOLDER).as_posix() for p in FOLDER.rglob("*") if p.is_file()}
    assert {path for _, path in lines} == {p for p in ours if "__pycache__" not in p}


def test_compiled_python_and_hidden_files_change_nothing(tmp_path, monkeypatch):
    copy = tmp_path / "node"
    shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(node_bundle, "FOLDER", copy)
    before = node_bundle.file_digests.__wrapped__()
    for name in ("__pycache__/x.cpython-311.pyc", ".DS_Store", "x.pyc"):
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).write_bytes(b"x")
    assert node_bundle.file_digests.__wrapped__() == before
    (copy / "lib.sh").write_text((copy / "lib.sh").read_text() + "#\n")
    assert node_bundle.file_digests.__wrapped__() != before


def test_the_asset_holds_exactly_the_files_with_digests(tmp_path):
    app = App(outdir=str(tmp_path))
    bundle = NodeBundle(Stack(app, "Compute"), "NodeBundle")
    app.synth()
    (asset,) = tmp_path.glob("asset.*")
    held = {p.relative_to(asset).as_posix() for p in asset.rglob("*") if p.is_file()}
    assert held == {line.partition("  ")[2] for line in file_digests().splitlines()}
    assert bundle.digest.startswith(bundle.version)


def test_user_data_names_the_archive_and_its_digests(stack):
    script = shell_part(NodeBoot(bundle=NodeBundle(stack, "NodeBundle")).render())
    digest = hashlib.sha256(f"{file_digests()}\n".encode()).hexdigest()
    assert f"\nTRNKIT_BUNDLE_SHA256={digest}\n" in script
    assert re.search(r"^TRNKIT_BUNDLE_KEY=[0-9a-f]{64}\.zip$", script, re.MULTILINE)
    assert script.startswith("#!/usr/bin/env bash\nTRNKIT_REGION=")


def test_nodes_may_read_this_archive_alone(stack):
    role = NodeRole(stack, "NodeRole")
    NodeBundle(stack, "NodeBundle").grant_read(role.role)
    (policy,) = Template.from_stack(stack).find_resources("AWS::IAM::Policy").values()
    (statement,) = policy["Properties"]["PolicyDocument"]["Statement"]
    assert statement["Action"] == "s3:GetObject"
    assert "*" not in json.dumps(statement)
    assert statement["Resource"]["Fn::Join"][1][-1].endswith(".zip")


def test_reports_are_for_what_carries_the_tag(stack):
    reports = NodeReports(stack, "Reports", tag_key="trnkit-cluster", tag_value="pretrain")
    reports.grant(NodeRole(stack, "NodeRole").role)
    template = Template.from_stack(stack)
    tagged = {"aws:ResourceTag/trnkit-cluster": "pretrain"}
    template.has_resource_properties(
        "AWS::IAM::Policy",
        {
            "PolicyDocument": {
                "Statement": [
                    {
                        "Action": "autoscaling:DescribeAutoScalingInstances",
                        "Effect": "Allow",
                        "Resource": "*",
                    },
                    Match.object_like({"Condition": {"StringEquals": tagged}}),
                    Match.object_like(
                        {
                            "Action": "ec2:CreateTags",
                            "Condition": {
                                "StringEquals": tagged,
                                "ForAllValues:StringEquals": {"aws:TagKeys": ["trnkit-node-state"]},
                            },
                        }
                    ),
                ],
                "Version": "2012-10-17",
            }
        },
    )


@pytest.mark.parametrize(("key", "value"), [("", "x"), ("aws:x", "x"), ("x", "\x00")])
def test_reports_want_a_tag(stack, key, value):
    with pytest.raises(ConstructError, match="tag_"):
        NodeReports(stack, "Reports", tag_key=key, tag_value=value)


def inline_script(boot):
    packed = re.search(r"<<'SCRIPTS'.*?\n(.*)\nSCRIPTS\n", shell_part(boot.render()), re.DOTALL)[1]
    assert "$" not in packed
    letters = "".join(packed.split()).translate({ord(","): "$", ord("."): "{"})
    return bz2.decompress(base64.b85decode(letters)).decode()


def test_inline_scripts_are_those_of_the_bundle():
    script = inline_script(NodeBoot())
    assert script.startswith("#!/usr/bin/env bash\nset -u -o pipefail\nexport LC_ALL=C\n")
    assert script.endswith("main\n")
    for line in (FOLDER / "steps" / "environment.sh").read_text().splitlines():
        assert line.lstrip().startswith("#") or line in script
    assert "mount_lustre()" not in script


def test_inline_scripts_have_the_steps_that_are_needed():
    boot = NodeBoot(node=NodeSettings(instance_store_path="/local", compile_cache="s3://a-b/c"))
    for name, there in (("instance_store", True), ("compile_cache", True), ("home", False)):
        path = FOLDER / "steps" / f"{name}.sh"
        assert (f"{name}_steps()" in inline_script(boot)) is there, path


def test_every_step_is_inline_or_said_to_be_left_out():
    names = {path.stem for path in (FOLDER / "steps").glob("*.sh")}
    assert names - set(INLINE_STEPS) == {"containers", "monitoring"}
    assert set(INLINE_STEPS) <= names


def test_an_imported_role_is_not_changed_where_it_must_not_be(stack):
    role = iam.Role.from_role_arn(
        stack, "Given", "arn:aws:iam::111122223333:role/nodes", mutable=False
    )
    NodeBundle(stack, "NodeBundle").grant_read(role)
    Template.from_stack(stack).resource_count_is("AWS::IAM::Policy", 0)


def test_the_first_stage_is_the_file(stack):
    text = (ROOT / "constructs_lib/compute/assets/first_stage.sh").read_text()
    code = [
        line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")
    ]
    script = shell_part(NodeBoot(bundle=NodeBundle(stack, "NodeBundle")).render())
    for line in code:
        assert line in script
