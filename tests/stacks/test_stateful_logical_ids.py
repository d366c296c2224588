"""Logical ids that hold data or carry what does: a changed one loses it, so they are frozen.

Do not edit a line here without a "Replacement warnings" entry in CHANGELOG.md.
"""

from __future__ import annotations

import json

import pytest

from tests.synthesis import ROOT
from trnkit.operations.changes.data_types import HOLDS

STATEFUL = {
    "Network": {
        "ClusterVpcA8CFF6E7": "AWS::EC2::VPC",
        "ClusterVpcStorageSubnet9E9D754B": "AWS::EC2::Subnet",
        "ClusterVpcComputeSubnet9BFD5E58": "AWS::EC2::Subnet",
        "ClusterVpcPublicSubnet6C31A33A": "AWS::EC2::Subnet",
        "EfaSecurityGroup7CA28382": "AWS::EC2::SecurityGroup",
    },
    "Storage": {
        "Lustrefsx62C39ECD": "AWS::FSx::FileSystem",
        "LustrefsxSecurityGroup189B9F94": "AWS::EC2::SecurityGroup",
        "LustrefsxdataF3A6EAE1": "AWS::FSx::DataRepositoryAssociation",
    },
}

HOLDS_DATA = {
    "Compute": {
        "NodeLogsD3BA8F2B": "AWS::Logs::LogGroup",
        "NodeVolumeKeyB89E5992": "AWS::KMS::Key",
    },
    "Cost": {"BudgetAlarmKey8A075D09": "AWS::KMS::Key"},
    "Guard": {
        "SpendEnforcerDeadLetters8EEA0F69": "AWS::SQS::Queue",
        "SpendEnforcerLogs490592D0": "AWS::Logs::LogGroup",
        "SpendWatchdogDeadLettersB87ACC0A": "AWS::SQS::Queue",
        "SpendWatchdogLogsC0AA8575": "AWS::Logs::LogGroup",
        "SpendWatchdogTable02DDBE46": "AWS::DynamoDB::Table",
    },
    "Network": {"VpcFlowLogLogGroupD25E7AAC": "AWS::Logs::LogGroup"},
    "Storage": {
        "CheckpointBucketDFE4871A": "AWS::S3::Bucket",
        "HomeFileSystem9CDE197A": "AWS::EFS::FileSystem",
        "LustrecorpusBDC274D7": "AWS::FSx::FileSystem",
        "Lustrefsx62C39ECD": "AWS::FSx::FileSystem",
        "LustrefsxLogGroupEDDFE8AB": "AWS::Logs::LogGroup",
        "Lustrescratch40323C2C": "AWS::FSx::FileSystem",
    },
}
"""All of every example that holds data by `trnkit diff`'s own table."""


@pytest.mark.parametrize("stack", STATEFUL)
def test_logical_ids_of_stateful_resources_never_move(default_assembly, stack):
    resources = default_assembly.templates[stack]["Resources"]
    found = {key: resources[key]["Type"] for key in STATEFUL[stack] if key in resources}
    assert found == STATEFUL[stack]


@pytest.mark.parametrize("stack", HOLDS_DATA)
def test_what_holds_data_in_any_example_is_frozen_here(stack):
    """A new example adds lines; a line that has to change is a replacement warning."""
    found = {
        logical_id: resource["Type"]
        for path in (ROOT / "tests" / "golden" / "templates").glob(f"*/{stack}.json")
        for logical_id, resource in json.loads(path.read_text())["Resources"].items()
        if resource["Type"] in HOLDS
    }
    assert found == HOLDS_DATA[stack]


def test_fsx_10_changing_nodes_leaves_the_file_systems_alone(synthesize, default_assembly):
    from trnkit.config import read_cluster

    text = (ROOT / "examples" / "trn2-pretrain.yaml").read_text()
    changed = text.replace("count: 4", "count: 900").replace("size_gib: 512", "size_gib: 800")
    changed = changed.replace("layout: ena-primary", "layout: all-efa")
    assert changed != text
    after = synthesize(read_cluster(changed, "f").config)
    for stack in ("Storage", "Cost"):
        assert after.templates[stack] == default_assembly.templates[stack]
