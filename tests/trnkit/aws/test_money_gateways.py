"""Gateways of money and identity: against moto, or answers of botocore's shapes."""

from __future__ import annotations

import json

import boto3
import pytest
from moto import mock_aws

from tests.trnkit.operations.preflight.fake_account import FakeAccount, no_stack
from tests.trnkit.operations.preflight.situations.anomaly_monitor import TAG_MONITOR
from tests.trnkit.operations.preflight.situations.budgets import made
from trnkit.aws.budgets import BudgetsGateway
from trnkit.aws.ce import CostExplorerGateway
from trnkit.aws.cloudformation import CloudFormationGateway
from trnkit.aws.iam import IamGateway
from trnkit.aws.organizations import OrganizationsGateway
from trnkit.aws.session import AwsSession
from trnkit.aws.sns import SnsGateway

REGION, ACCOUNT = "us-east-2", "123456789012"


@pytest.fixture(autouse=True)
def moto():
    with mock_aws():
        yield


def client(service):
    return boto3.client(service, region_name=REGION)


def budget(name, **filters):
    return {
        "BudgetName": name,
        "BudgetLimit": {"Amount": "9", "Unit": "USD"},
        "TimeUnit": "MONTHLY",
        "BudgetType": "COST",
    } | ({"CostFilters": filters} if filters else {})


def test_budgets_and_what_they_count():
    counted = ["user:trnkit-cluster$pretrain"]
    for entry in (budget("all"), budget("one", TagKeyValue=counted)):
        client("budgets").create_budget(AccountId=ACCOUNT, Budget=entry)
    found = {b.name: b for b in BudgetsGateway(AwsSession(), REGION).budgets(ACCOUNT)}
    assert found["all"].cost_filters.get("TagKeyValue", ()) == ()
    assert found["one"].cost_filters["TagKeyValue"] == tuple(counted)


def test_an_account_without_budgets():
    assert BudgetsGateway(AwsSession(), REGION).budgets(ACCOUNT) == ()


def test_what_a_stack_has_made_and_not_deleted():
    told = made(("Topic", "AWS::SNS::Topic", "topic-arn"), ("Key", "AWS::KMS::Key", None))
    gone = made(("Old", "AWS::SNS::Topic", "old-arn"), status="DELETE_COMPLETE")

    def page(asked, region):
        assert asked["StackName"] == "pretrain-Cost"
        return gone if "NextToken" in asked else told | {"NextToken": "more"}

    session = FakeAccount({"ListStackResources": page})
    found = CloudFormationGateway(session, REGION).resources("pretrain-Cost")
    assert [(r.logical_id, r.type, r.physical_id) for r in found] == [
        ("Topic", "AWS::SNS::Topic", "topic-arn")
    ]
    assert len(session.asked) == 2


def test_a_stack_that_is_not_there_has_made_nothing():
    session = FakeAccount({"ListStackResources": no_stack})
    assert CloudFormationGateway(session, REGION).resources("pretrain-Cost") == ()


def test_monitors_over_services_tags_and_something_else():
    category = {"MonitorName": "c", "MonitorType": "CUSTOM", "MonitorArn": "c-arn"}
    entries = [
        category | {"MonitorSpecification": {"CostCategories": {"Key": "team", "Values": ["x"]}}},
        TAG_MONITOR,
        {"MonitorName": "s", "MonitorType": "DIMENSIONAL", "MonitorDimension": "SERVICE"},
    ]
    session = FakeAccount({"GetAnomalyMonitors": {"AnomalyMonitors": entries}})
    found = CostExplorerGateway(session, REGION).anomaly_monitors()
    assert [(m.type, m.dimension, m.tag_key, m.tag_values) for m in found] == [
        ("CUSTOM", None, None, ()),
        ("CUSTOM", None, "trnkit-cluster", ("pretrain",)),
        ("DIMENSIONAL", "SERVICE", None, ()),
    ]


def test_tags_are_asked_for_by_name_and_only_those_of_users():
    def answer(asked, region):
        assert asked == {"TagKeys": ["a", "b", "c"], "Type": "UserDefined"}
        entries = [("a", "Active"), ("b", "Inactive")]
        return {
            "CostAllocationTags": [
                {"TagKey": key, "Type": "UserDefined", "Status": status} for key, status in entries
            ]
        }

    session = FakeAccount({"ListCostAllocationTags": answer})
    found = CostExplorerGateway(session, REGION).cost_allocation_tags(["c", "a", "b"])
    assert found == {"a": True, "b": False}


def test_a_topic_with_its_policy_and_who_subscribed_to_it():
    topics = client("sns")
    arn = topics.create_topic(Name="alerts")["TopicArn"]
    topics.subscribe(TopicArn=arn, Protocol="email", Endpoint="a@example.com")
    gateway = SnsGateway(AwsSession(), REGION)
    found = gateway.topic(arn, about="the topic")
    assert json.loads(found.policy)["Statement"]
    assert found.key is None
    assert [s.endpoint for s in gateway.subscriptions(arn, about="the topic")] == ["a@example.com"]


def test_a_topic_that_is_not_there():
    gateway = SnsGateway(AwsSession(), REGION)
    assert gateway.topic(f"arn:aws:sns:{REGION}:{ACCOUNT}:none", about="the topic") is None


def test_service_linked_roles_and_what_only_has_their_name():
    roles, name = client("iam"), "AWSServiceRoleForAutoScaling"
    gateway = IamGateway(AwsSession(), REGION)
    assert gateway.has_service_linked_role(name) is False
    roles.create_role(RoleName="AWSServiceRoleForMe", AssumeRolePolicyDocument="{}")
    assert gateway.has_service_linked_role("AWSServiceRoleForMe") is False
    made = roles.create_service_linked_role(AWSServiceName="autoscaling.amazonaws.com")["Role"]
    assert gateway.has_service_linked_role(made["RoleName"]) is True


def test_the_management_account_and_an_account_in_no_organization():
    gateway = OrganizationsGateway(AwsSession(), REGION)
    assert gateway.management_account() is None
    client("organizations").create_organization(FeatureSet="ALL")
    assert gateway.management_account() == ACCOUNT
