"""Types behind which there is more than the template says."""

from __future__ import annotations

import pytest

from tests.trnkit.operations.changes.comparing import by_id, change_of, compare, resource

NOTHING = "Resources:\n  Other: {Type: 'AWS::SNS::Topic'}\n"
MADE_BY_MACROS = [
    "AWS::Serverless::SimpleTable",
    "AWS::Serverless::Application",
    "AWS::Serverless::Function",
    "MyOrg::Storage::Lake::MODULE",
]
OPAQUE = [
    *MADE_BY_MACROS,
    "AWS::CloudFormation::CustomResource",
    "AWS::CloudFormation::Stack",
    "AWS::CloudFormation::StackSet",
    "AWS::ServiceCatalog::CloudFormationProvisionedProduct",
    "Custom::Thing",
    "MongoDB::Atlas::Cluster",
]


@pytest.mark.parametrize("kind", OPAQUE)
def test_what_is_opaque_and_leaves_or_moves_cannot_be_told(tmp_path, kind):
    old = resource(kind, {"Same": "a"})
    removed = by_id(compare(tmp_path, old, NOTHING))["It"]
    (moved,) = compare(tmp_path, old, old.replace("It:", "That:")).changes
    assert (removed.kind, removed.verdict) == ("removed", "cannot-be-told")
    assert (moved.kind, moved.verdict) == ("moved", "cannot-be-told")


@pytest.mark.parametrize("kind", OPAQUE)
def test_what_is_opaque_and_changes_cannot_be_told(tmp_path, kind):
    for name in ("Parameters", "PrimaryKey"):
        assert change_of(tmp_path, kind, {name: "a"}, {name: "b"}).verdict == "cannot-be-told"


@pytest.mark.parametrize("kind", MADE_BY_MACROS)
def test_a_policy_of_what_a_macro_makes_keeps_nothing_for_certain(tmp_path, kind):
    old = resource(kind, {}, DeletionPolicy="Retain")
    assert by_id(compare(tmp_path, old, NOTHING))["It"].verdict == "cannot-be-told"


def test_a_macros_type_that_becomes_a_plain_one_is_not_refused(tmp_path):
    old, new = resource("AWS::Serverless::SimpleTable", {}), resource("AWS::DynamoDB::Table", {})
    (change,) = compare(tmp_path, old, new).changes
    assert change.verdict == "cannot-be-told"
