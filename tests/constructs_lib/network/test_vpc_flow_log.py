"""VpcFlowLog: a log group that is kept, and a role that may write to it alone."""

from __future__ import annotations

import pytest

from constructs_lib.network import VpcFlowLog


@pytest.fixture
def made(stack, vpc, resources):
    VpcFlowLog(stack, "VpcFlowLog", vpc=vpc, retention_days=30, traffic_type="REJECT")
    return resources()


def only(resources, kind):
    (found,) = ((key, r) for key, r in resources.items() if r["Type"] == kind)
    return found


def test_the_whole_vpc_is_recorded_into_the_group(made):
    group, _ = only(made, "AWS::Logs::LogGroup")
    role, _ = only(made, "AWS::IAM::Role")
    _, log = only(made, "AWS::EC2::FlowLog")
    properties = log["Properties"]
    assert properties["ResourceType"] == "VPC"
    assert properties["ResourceId"] == "vpc-0123456789abcdef0"
    assert properties["TrafficType"] == "REJECT"
    assert properties["LogGroupName"] == {"Ref": group}
    assert properties["DeliverLogsPermissionArn"] == {"Fn::GetAtt": [role, "Arn"]}


def test_the_records_outlive_the_stack(made):
    _, group = only(made, "AWS::Logs::LogGroup")
    assert group["DeletionPolicy"] == "RetainExceptOnCreate"
    assert group["UpdateReplacePolicy"] == "Retain"
    assert group["Properties"]["RetentionInDays"] == 30


def test_the_role_writes_to_that_group_and_serves_this_account_alone(made):
    group, _ = only(made, "AWS::Logs::LogGroup")
    _, role = only(made, "AWS::IAM::Role")
    (trust,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "vpc-flow-logs.amazonaws.com"}
    assert trust["Condition"]["StringEquals"] == {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}
    (policy,) = role["Properties"]["Policies"]
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert statement["Resource"] == {"Fn::GetAtt": [group, "Arn"]}
    assert all(action.startswith("logs:") and "*" not in action for action in statement["Action"])
