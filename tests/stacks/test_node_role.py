"""The nodes' role: what the file adds to it, and nothing where the file says nothing."""

from __future__ import annotations

from tests.synthesis import ROOT
from trnkit.config import read_cluster

POLICIES = [
    "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly",
    "arn:aws:iam::111122223333:policy/teams/Training",
]


def test_policies_of_the_file_are_attached_beside_that_for_session_manager(
    synthesize, default_assembly
):
    text = (ROOT / "examples" / "trn2-pretrain.yaml").read_text()
    listed = ", ".join(f"'{arn}'" for arn in POLICIES)
    changed = text.replace(
        "compute:\n", f"compute:\n  node_role: {{managed_policy_arns: [{listed}]}}\n", 1
    )
    assert changed != text
    before = default_assembly.only("Compute", "AWS::IAM::Role")["ManagedPolicyArns"]
    after = synthesize(read_cluster(changed, "f").config)
    assert len(before) == 1
    assert after.only("Compute", "AWS::IAM::Role")["ManagedPolicyArns"] == [*before, *POLICIES]
    for stack in ("Network", "Storage", "Cost"):
        assert after.templates[stack] == default_assembly.templates[stack]
