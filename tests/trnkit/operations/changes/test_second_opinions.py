"""The same edits before judges we did not write: `cdk diff`, and the CDK's own database."""

from __future__ import annotations

import copy
import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.synthesis import ROOT
from trnkit.operations.changes.comparison import compare_stacks
from trnkit.operations.changes.data_types import HOLDS
from trnkit.operations.changes.inputs import read_stacks, recognise
from trnkit.operations.changes.registry import find_schema

CDK = Path(sys.executable).parent / "cdk"
DATABASE = ROOT / "node_modules" / "aws-cdk" / "db.json.gz"
GOLDEN = ROOT / "tests" / "golden" / "templates" / "trn2-pretrain"
STACK = {
    "type": "aws:cloudformation:stack",
    "environment": "aws://unknown-account/us-east-2",
    "properties": {"templateFile": "new.json"},
}


def set_at(template, path, value):
    *way, last = path
    node = template["Resources"]
    for part in way:
        node = node[part]
    node[last] = value


def replaced_by_cdk(folder, old, new):
    """Logical ids that `cdk diff` says are replaced."""
    (folder / "old.json").write_text(json.dumps(old))
    (folder / "new.json").write_text(json.dumps(new))
    (folder / "cdk.out").write_text('{"version": "36.0.0"}')
    (folder / "manifest.json").write_text(
        json.dumps({"version": "36.0.0", "artifacts": {"S": STACK}})
    )
    done = subprocess.run(
        [str(CDK), "diff", "--app", ".", "S", "--template", "old.json", "--no-notices"],
        cwd=folder,
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": os.environ.get("HOME", str(folder)),
            "AWS_EC2_METADATA_DISABLED": "true",
            "CDK_DISABLE_VERSION_CHECK": "1",
            "CDK_DISABLE_CLI_TELEMETRY": "1",
            "CI": "1",
            "NO_COLOR": "1",
        },
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert "Resources" in done.stdout + done.stderr, done.stderr
    said = done.stdout + done.stderr
    return set(re.findall(r"^\[~\] \S+ (?:\S+ )?(\w+) replace$", said, re.MULTILINE))


@pytest.mark.parametrize(
    ("stack", "edits"),
    [
        (
            "Storage",
            [
                (("LustrefsxSecurityGroup189B9F94", "Properties", "GroupDescription"), "other"),
                (("LustrefsxdataF3A6EAE1", "Properties", "FileSystemPath"), "/corpus"),
            ],
        ),
        (
            "Compute",
            [
                (("NodeGrouptrainPlacement73A85AC3", "Properties", "Strategy"), "spread"),
                (("NodeRoleEA880897", "Properties", "Path"), "/trainium/"),
            ],
        ),
        ("Cost", [(("BudgetAlarmC846D4BF", "Properties", "NotificationsWithSubscribers"), [])]),
    ],
)
def test_cdk_diff_replaces_the_same_resources(tmp_path, stack, edits):
    old = json.loads((GOLDEN / f"{stack}.json").read_text())
    new = copy.deepcopy(old)
    for path, value in edits:
        set_at(new, path, value)
    theirs = replaced_by_cdk(tmp_path, old, new)
    sides = [read_stacks(recognise(str(tmp_path / name))) for name in ("old.json", "new.json")]
    found = compare_stacks(*sides, are_single=True)
    assert theirs == {c.logical_id for c in found.changes if c.kind == "replaced"}
    assert theirs


def entities(name):
    return json.loads(gzip.decompress(DATABASE.read_bytes()))["schema"][name]["entities"]


# What the CDK's database takes from CloudFormation's retired specification and the registry's
# schemas, which are newer, no longer say.
NO_LONGER = {
    ("AWS::EC2::CapacityReservation", "InstanceMatchCriteria"),
    ("AWS::EC2::CapacityReservation", "TagSpecifications"),
    # Deeper in it, the schema says so of two of its properties.
    ("AWS::EKS::Cluster", "KubernetesNetworkConfig"),
    # Judged by our own table.
    ("AWS::FSx::FileSystem", "FileSystemTypeVersion"),
    ("AWS::S3::Bucket", "ObjectLockEnabled"),
}
OURS = (
    "AWS::AutoScaling::AutoScalingGroup",
    "AWS::Budgets::Budget",
    "AWS::CE::AnomalyMonitor",
    "AWS::CE::AnomalySubscription",
    "AWS::EC2::CapacityReservation",
    "AWS::EC2::Instance",
    "AWS::EC2::LaunchTemplate",
    "AWS::EC2::NatGateway",
    "AWS::EC2::PlacementGroup",
    "AWS::EC2::SecurityGroup",
    "AWS::EC2::SecurityGroupEgress",
    "AWS::EC2::SecurityGroupIngress",
    "AWS::EC2::Subnet",
    "AWS::EC2::VPC",
    "AWS::EC2::VPCEndpoint",
    "AWS::EFS::FileSystem",
    "AWS::EFS::MountTarget",
    "AWS::EKS::Cluster",
    "AWS::EKS::Nodegroup",
    "AWS::FSx::DataRepositoryAssociation",
    "AWS::FSx::FileSystem",
    "AWS::IAM::InstanceProfile",
    "AWS::IAM::Role",
    "AWS::KMS::Key",
    "AWS::Logs::LogGroup",
    "AWS::PCS::Cluster",
    "AWS::PCS::ComputeNodeGroup",
    "AWS::S3::Bucket",
    "AWS::SNS::Subscription",
    "AWS::SNS::Topic",
    "AWS::SageMaker::Cluster",
)


def test_the_cdks_database_and_the_registrys_schemas_agree_on_what_is_replaced():
    theirs = {entity["cloudFormationType"]: entity["properties"] for entity in entities("resource")}
    differing = set()
    for kind in OURS:
        schema = find_schema(kind, None)
        for name, entity in theirs[kind].items():
            says = entity.get("causesReplacement") == "yes"
            if says != schema.is_create_only((name,)):
                # Of a part of it the schema may say so; then no whole says it.
                differing.add((kind, name))
    assert differing == NO_LONGER


def test_every_type_that_the_cdk_calls_stateful_is_known_to_hold_data():
    stateful = {e["cloudFormationType"] for e in entities("resource") if e.get("isStateful")}
    assert stateful - HOLDS.keys() == {
        "AWS::CloudFormation::Stack",  # cannot be told: what is in it is in another template
        "AWS::Organizations::Account",
    }


def test_every_type_that_holds_data_is_one_of_the_registrys():
    assert not [kind for kind in HOLDS if find_schema(kind, None) is None]
