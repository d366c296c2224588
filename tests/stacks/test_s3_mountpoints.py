"""Buckets that the nodes mount: in the Compute stack alone, for every node group."""

from __future__ import annotations

import json

from tests.synthesis import ROOT
from trnkit.config import read_cluster

MOUNT = (
    "  s3_mountpoints: [{bucket_name: our-corpus, prefix: raw, mount_path: /data/raw, "
    "kms_key_arn: 'arn:aws:kms:us-east-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'}]\n"
)


def test_a_bucket_changes_nodes_and_their_role_and_nothing_that_holds_data(
    synthesize, default_assembly
):
    text = (ROOT / "examples" / "trn2-pretrain.yaml").read_text()
    changed = text.replace("storage:\n", f"storage:\n{MOUNT}", 1)
    assert changed != text
    after = synthesize(read_cluster(changed, "f").config)
    for stack in ("Network", "Storage", "Cost"):
        assert after.templates[stack] == default_assembly.templates[stack]
    policy, before = (
        built.only("Compute", "AWS::IAM::Policy")["PolicyDocument"]["Statement"]
        for built in (after, default_assembly)
    )
    assert [statement["Action"] for statement in policy if statement not in before] == [
        "s3:ListBucket",
        "s3:GetObject",
        "kms:Decrypt",
    ]
    launch = after.only("Compute", "AWS::EC2::LaunchTemplate")["LaunchTemplateData"]
    data = json.dumps(launch["UserData"])
    assert "TRNKIT_S3_MOUNTS='s3://our-corpus/raw/ /data/raw ro us-east-2'" in data
    before = default_assembly.only("Compute", "AWS::EC2::LaunchTemplate")["LaunchTemplateData"]
    assert "TRNKIT_S3" not in json.dumps(before["UserData"])


def test_every_group_mounts_it(synthesize):
    text = (ROOT / "examples" / "mixed-groups.yaml").read_text()
    after = synthesize(read_cluster(f"{text}\nstorage:\n{MOUNT}", "f").config)
    templates = [
        found["Properties"]["LaunchTemplateData"]
        for found in after.templates["Compute"]["Resources"].values()
        if found["Type"] == "AWS::EC2::LaunchTemplate"
    ]
    assert len(templates) > 1
    for template in templates:
        assert "s3://our-corpus/raw/ /data/raw ro" in json.dumps(template["UserData"])
