"""NodeLogGroup: kept and with an end, and rights that go no further than it."""

from __future__ import annotations

import pytest
from aws_cdk import RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms

from constructs_lib.compute import NodeRole
from constructs_lib.observability import NodeLogGroup
from trnkit.catalog import storage_limits
from trnkit.errors import ConstructError


def only(resources, kind):
    (found,) = ((key, r) for key, r in resources.items() if r["Type"] == kind)
    return found


def statements(resources):
    _, policy = only(resources, "AWS::IAM::Policy")
    return policy["Properties"]["PolicyDocument"]["Statement"]


def test_the_group_has_an_end_for_events_and_outlives_the_stack(stack, resources):
    NodeLogGroup(stack, "NodeLogs")
    _, group = only(resources(), "AWS::Logs::LogGroup")
    assert group["Properties"] == {"RetentionInDays": 30}
    assert group["DeletionPolicy"] == "RetainExceptOnCreate"
    assert group["UpdateReplacePolicy"] == "Retain"


def test_it_can_go_with_its_stack(stack, resources):
    NodeLogGroup(stack, "NodeLogs", retention_days=7, removal_policy=RemovalPolicy.DESTROY)
    _, group = only(resources(), "AWS::Logs::LogGroup")
    assert group["DeletionPolicy"] == group["UpdateReplacePolicy"] == "Delete"


def test_writing_is_allowed_in_that_group_alone_and_making_groups_is_not(stack, resources):
    role = NodeRole(stack, "NodeRole").role
    NodeLogGroup(stack, "NodeLogs").grant_write(role)
    made = resources()
    group, _ = only(made, "AWS::Logs::LogGroup")
    (statement,) = statements(made)
    assert statement["Effect"] == "Allow"
    assert statement["Resource"] == {"Fn::GetAtt": [group, "Arn"]}
    assert set(statement["Action"]) == {
        "logs:CreateLogStream",
        "logs:DescribeLogStreams",
        "logs:PutLogEvents",
    }


def test_metrics_are_allowed_in_one_namespace(stack, resources):
    role = NodeRole(stack, "NodeRole").role
    NodeLogGroup(stack, "NodeLogs").grant_metrics(role, "trnkit")
    (statement,) = statements(resources())
    assert statement["Action"] == "cloudwatch:PutMetricData"
    assert statement["Resource"] == "*"
    assert statement["Condition"] == {"StringEquals": {"cloudwatch:namespace": "trnkit"}}


def test_a_key_of_the_app_lets_cloudwatch_logs_of_this_region_use_it(stack, resources):
    key = kms.Key(stack, "Key")
    NodeLogGroup(stack, "NodeLogs", kms_key=key)
    made = resources()
    name, made_key = only(made, "AWS::KMS::Key")
    _, group = only(made, "AWS::Logs::LogGroup")
    assert group["Properties"]["KmsKeyId"] == {"Fn::GetAtt": [name, "Arn"]}
    statement = made_key["Properties"]["KeyPolicy"]["Statement"][-1]
    assert statement["Principal"] == {"Service": "logs.us-east-2.amazonaws.com"}
    arn = statement["Condition"]["ArnLike"]["kms:EncryptionContext:aws:logs:arn"]
    pieces = ["arn:aws:logs:us-east-2:", {"Ref": "AWS::AccountId"}, ":log-group:*"]
    assert arn == {"Fn::Join": ["", pieces]}
    assert "kms:Decrypt" in statement["Action"]
    assert not [action for action in statement["Action"] if action in ("kms:*", "*")]


def test_a_key_from_elsewhere_is_used_as_it_is(stack, resources):
    arn = "arn:aws:kms:us-east-2:111122223333:key/12345678-1234-1234-1234-123456789012"
    NodeLogGroup(stack, "NodeLogs", kms_key=kms.Key.from_key_arn(stack, "Theirs", arn))
    made = resources()
    _, group = only(made, "AWS::Logs::LogGroup")
    assert group["Properties"]["KmsKeyId"] == arn


@pytest.mark.parametrize("days", [0, -1, 2, 31, 10_000, 30.0, True, "30", None])
def test_days_are_those_that_cloudwatch_takes(stack, days):
    with pytest.raises(ConstructError, match="retention_days must be 1, 3, "):
        NodeLogGroup(stack, "NodeLogs", retention_days=days)


def test_all_days_that_cloudwatch_takes_are_taken(stack, resources):
    for days in storage_limits().log_retention_days:
        NodeLogGroup(stack, f"NodeLogs{days}", retention_days=days)
    made = [r["Properties"]["RetentionInDays"] for r in resources("AWS::Logs::LogGroup").values()]
    assert sorted(made) == list(storage_limits().log_retention_days)


def test_a_key_of_another_region_is_refused(stack):
    arn = "arn:aws:kms:eu-west-1:111122223333:key/12345678-1234-1234-1234-123456789012"
    key = kms.Key.from_key_arn(stack, "Theirs", arn)
    with pytest.raises(ConstructError, match="kms_key must be in us-east-2"):
        NodeLogGroup(stack, "NodeLogs", kms_key=key)


def test_a_snapshot_is_no_removal_policy_of_it(stack):
    with pytest.raises(ConstructError, match="removal_policy must be"):
        NodeLogGroup(stack, "NodeLogs", removal_policy=RemovalPolicy.SNAPSHOT)


@pytest.mark.parametrize(
    ("namespace", "message"),
    [
        ("AWS/EC2", "must not begin with AWS/"),
        ("", "namespace must"),
        (":trnkit", "not begin with a colon"),
        ("a*b", "letters, digits"),
        ("x" * 256, "letters, digits"),
        (7, "must be text"),
    ],
)
def test_a_namespace_that_cloudwatch_does_not_take_is_refused(stack, namespace, message):
    group = NodeLogGroup(stack, "NodeLogs")
    role = iam.Role.from_role_arn(stack, "Theirs", "arn:aws:iam::111122223333:role/nodes")
    with pytest.raises(ConstructError, match=message):
        group.grant_metrics(role, namespace)


@pytest.mark.parametrize("namespace", ["trnkit", "Team/trnkit", "a.b-c_d#e f", "x" * 255])
def test_other_namespaces_are_taken(stack, resources, namespace):
    role = NodeRole(stack, "NodeRole").role
    NodeLogGroup(stack, "NodeLogs").grant_metrics(role, namespace)
    (statement,) = statements(resources())
    assert statement["Condition"]["StringEquals"]["cloudwatch:namespace"] == namespace
