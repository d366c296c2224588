"""Types behind which there is more than the template says."""

from __future__ import annotations

import pytest
import yaml

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


INCLUDE = {"Name": "AWS::Include", "Parameters": {"Location": "s3://bucket/a.yaml"}}
OTHER = {"Name": "AWS::Include", "Parameters": {"Location": "s3://bucket/b.yaml"}}
LOOP = ["Name", {"Ref": "Names"}, {"${Name}": {"Value": "x"}}]
TOPIC = {"Type": "AWS::SNS::Topic"}


@pytest.mark.parametrize(
    ("place", "value", "other"),
    [
        (("Resources", "Fn::Transform"), INCLUDE, OTHER),
        (("Resources", "Topic", "Fn::Transform"), INCLUDE, OTHER),
        (("Resources", "Topic", "Properties", "Fn::Transform"), INCLUDE, OTHER),
        (("Outputs", "Fn::Transform"), INCLUDE, OTHER),
        (("Mappings", "Fn::Transform"), INCLUDE, OTHER),
        (("Outputs", "Fn::ForEach::All"), LOOP, LOOP[:2]),
        (("Conditions", "Fn::ForEach::All"), LOOP, LOOP[:2]),
        (("Fn::Transform",), INCLUDE, OTHER),
        (("Hooks",), {"Deploy": {"Type": "AWS::CodeDeploy::BlueGreen"}}, {"Deploy": {}}),
        (("Transform",), [INCLUDE], [OTHER]),
    ],
)
def test_what_a_macro_or_a_hook_makes_cannot_be_told(tmp_path, place, value, other):
    def template(held):
        body = {"Resources": {"Topic": dict(TOPIC)}}
        node = body
        for part in place[:-1]:
            node = node.setdefault(part, {})
        if held is not None:
            node[place[-1]] = held
        return yaml.safe_dump(body)

    for old, new in ((value, other), (None, value), (value, None)):
        changes = compare(tmp_path, template(old), template(new)).changes
        assert [c.verdict for c in changes] == ["cannot-be-told"], (old, new)
    assert compare(tmp_path, template(value), template(value)).changes == ()


def test_a_macro_with_parameters_is_noted_by_its_name(tmp_path):
    text = yaml.safe_dump({"Transform": [INCLUDE], "Resources": {"Topic": TOPIC}})
    (note,) = compare(tmp_path, text, text).notes
    assert "the macro AWS::Include makes resources" in note


@pytest.mark.parametrize(
    ("kind", "reference"),
    [
        ("MyOrg::Storage::Lake::MODULE", {"Ref": "It.Bucket"}),
        ("MyOrg::Storage::Lake::MODULE", {"Ref": "ItBucket"}),
        ("MyOrg::Storage::Lake::MODULE", {"Fn::GetAtt": ["It", "Bucket.Arn"]}),
        ("AWS::Serverless::Function", {"Ref": "ItRole"}),
        ("AWS::Serverless::Function", {"Fn::GetAtt": ["ItRole", "Arn"]}),
        ("AWS::Serverless::Function", {"Fn::Sub": "${ItRole.Arn}/x"}),
    ],
)
def test_what_follows_something_that_a_macro_makes_cannot_be_told(tmp_path, kind, reference):
    def template(value):
        table = {"Type": "AWS::DynamoDB::Table", "Properties": {"TableName": reference}}
        made = {"Type": kind, "Properties": {"A": value}}
        return yaml.safe_dump({"Resources": {"It": made, "Table": table}})

    found = by_id(compare(tmp_path, template("a"), template("b")))
    assert found["Table"].verdict == "cannot-be-told"
    assert compare(tmp_path, template("a"), template("a")).changes == ()
