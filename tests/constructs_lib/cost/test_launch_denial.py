"""LaunchDenial: who loses what, by whose hand, and never more."""

from __future__ import annotations

import json

import pytest
from aws_cdk import App, Environment, Stack
from aws_cdk import aws_budgets as budgets
from aws_cdk import aws_sns as sns

from constructs_lib.cost import LaunchDenial
from tests.constructs_lib.cost.enforcer.privileges import ACCOUNT, allowed, denies, plain
from trnkit.errors import ConstructError

ROLES = ["ml-engineers", "pipeline"]
NODE = f"arn:aws:ec2:us-east-2:{ACCOUNT}:instance/*"


@pytest.fixture
def make(stack):
    def denial(**options):
        options = {"budget_name": "pretrain", "role_names": ROLES} | options
        if "topic" not in options:
            options.setdefault("emails", ["ml-platform@example.com"])
        return LaunchDenial(stack, "LaunchDenial", **options)

    return denial


def only(found):
    (one,) = found.values()
    return one["Properties"]


def test_the_action_attaches_its_policy_to_the_named_roles(make, resources):
    make()
    action = only(resources("AWS::Budgets::BudgetsAction"))
    (policy_id,) = resources("AWS::IAM::ManagedPolicy")
    assert action["ActionType"] == "APPLY_IAM_POLICY"
    assert action["ActionThreshold"] == {"Type": "PERCENTAGE", "Value": 100}
    assert (action["NotificationType"], action["ApprovalModel"]) == ("ACTUAL", "AUTOMATIC")
    assert action["Definition"] == {
        "IamActionDefinition": {"PolicyArn": {"Ref": policy_id}, "Roles": ROLES}
    }
    assert action["Subscribers"] == [{"Type": "EMAIL", "Address": "ml-platform@example.com"}]


def test_a_budget_is_taken_by_reference_and_a_topic_hears(make, stack, resources):
    data = budgets.CfnBudget
    budget = data(
        stack, "Budget", budget=data.BudgetDataProperty(budget_type="COST", time_unit="MONTHLY")
    )
    make(budget_name=budget.ref, topic=sns.Topic(stack, "Alerts"), approval="MANUAL", percent=90)
    action = only(resources("AWS::Budgets::BudgetsAction"))
    assert action["BudgetName"] == {"Ref": "Budget"}
    assert action["ApprovalModel"] == "MANUAL"
    assert [subscriber["Type"] for subscriber in action["Subscribers"]] == ["SNS"]


def statements_of(resources):
    return plain(only(resources("AWS::IAM::ManagedPolicy"))["PolicyDocument"]["Statement"])


@pytest.mark.parametrize(
    "type_name", ["trn1.32xlarge", "trn2u.48xlarge", "inf2.xlarge", "p5en.48xlarge", "g6.xlarge"]
)
def test_accelerated_instances_are_denied(make, resources, type_name):
    make()
    context = {"ec2:InstanceType": type_name}
    for action in ("ec2:RunInstances", "ec2:StartInstances"):
        assert denies(statements_of(resources), action, NODE, context)


@pytest.mark.parametrize("type_name", ["m7i.large", "t3.micro", "c7g.large", "r7i.large"])
def test_other_instances_are_not(make, resources, type_name):
    make()
    context = {"ec2:InstanceType": type_name}
    assert not denies(statements_of(resources), "ec2:RunInstances", NODE, context)


@pytest.mark.parametrize(
    "action",
    [
        "autoscaling:SetDesiredCapacity",
        "autoscaling:UpdateAutoScalingGroup",
        "autoscaling:ResumeProcesses",
        "ec2:CreateFleet",
        "ec2:PurchaseCapacityBlock",
        "ec2:RequestSpotInstances",
        "sagemaker:CreateTrainingJob",
        "sagemaker:UpdateCluster",
        "pcs:UpdateComputeNodeGroup",
    ],
)
def test_what_scales_out_is_denied(make, resources, action):
    make()
    assert denies(statements_of(resources), action)


@pytest.mark.parametrize(
    ("context", "is_denied"),
    [
        ({"autoscaling:MaxSize": "0"}, False),
        ({"autoscaling:MaxSize": "0", "autoscaling:MinSize": "0"}, False),
        ({"autoscaling:MaxSize": "1"}, True),
        ({"autoscaling:MinSize": "0"}, True),
        ({}, True),
    ],
)
def test_a_group_may_be_set_to_zero_and_to_no_other_size(make, resources, context, is_denied):
    """What names no largest size may name a larger desired one, of which IAM is told nothing."""
    make()
    update = "autoscaling:UpdateAutoScalingGroup"
    assert denies(statements_of(resources), update, "*", context) is is_denied


@pytest.mark.parametrize(
    "action",
    [
        "autoscaling:DescribeAutoScalingGroups",
        "autoscaling:TerminateInstanceInAutoScalingGroup",
        "autoscaling:SuspendProcesses",
        "ec2:DescribeInstances",
        "ec2:StopInstances",
        "ec2:TerminateInstances",
        "fsx:DescribeFileSystems",
        "lambda:InvokeFunction",
        "s3:GetObject",
        "s3:PutObject",
        "ssm:StartSession",
        "sagemaker:StopTrainingJob",
        "iam:PassRole",
    ],
)
def test_looking_and_stopping_and_saving_is_not_denied(make, resources, action):
    make()
    assert not denies(statements_of(resources), action, "*", {"ec2:InstanceType": "trn1.2xlarge"})


def test_every_action_is_one_of_its_service(make, resources):
    import botocore.session

    make()
    session = botocore.session.get_session()
    for statement in statements_of(resources):
        assert statement["Effect"] == "Deny"
        actions = statement["Action"]
        for action in [actions] if isinstance(actions, str) else actions:
            service, _, name = action.partition(":")
            assert name in session.get_service_model(service).operation_names, action


def test_a_policy_fits(make, resources):
    make()
    assert len(json.dumps(statements_of(resources), separators=(",", ":"))) < 6000


def test_budgets_may_attach_that_policy_to_those_roles_and_no_more(make, resources):
    make()
    (policy_id,) = resources("AWS::IAM::ManagedPolicy")
    found = [
        plain(statement)
        for policy in resources("AWS::IAM::Policy").values()
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
    ]
    role, other = f"arn:aws:iam::{ACCOUNT}:role/ml-engineers", f"arn:aws:iam::{ACCOUNT}:role/admin"
    ours = {"iam:PolicyARN": policy_id}
    for action in ("iam:AttachRolePolicy", "iam:DetachRolePolicy"):
        assert allowed(found, action, role, ours)
        assert allowed(found, action, role.replace("role/", "role/teams/"), ours)
        assert not allowed(found, action, other, ours)
        assert not allowed(found, action, role, {"iam:PolicyARN": "arn:aws:iam::aws:policy/Admin"})
        assert not allowed(found, action, role)
    for action in ("iam:PutRolePolicy", "iam:AttachUserPolicy", "iam:CreatePolicyVersion"):
        assert not allowed(found, action, role, ours)


def test_only_budgets_of_this_account_may_take_the_role(make, resources):
    make()
    (trust,) = only(resources("AWS::IAM::Role"))["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "budgets.amazonaws.com"}
    assert plain(trust["Condition"]) == {
        "StringEquals": {"aws:SourceAccount": ACCOUNT},
        "ArnLike": {"aws:SourceArn": f"arn:aws:budgets::{ACCOUNT}:*"},
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"role_names": []}, "must name a role"),
        ({"role_names": ["AWSServiceRoleForAutoScaling"]}, "no service-linked one"),
        ({"role_names": ["a", "a"]}, "must not name anybody twice"),
        ({"role_names": ["teams/ml"]}, "without its path"),
        ({"emails": []}, "must be 1 to 11 subscribers, got 0"),
        ({"emails": [f"p{n}@example.com" for n in range(12)]}, "got 12"),
        ({"percent": 0}, "percent must be more than 0"),
        ({"approval": "LATER"}, "approval must be AUTOMATIC or MANUAL"),
    ],
)
def test_what_cannot_be_meant_is_refused(make, options, message):
    with pytest.raises(ConstructError, match=message):
        make(**options)


def test_a_region_without_budget_actions_is_refused():
    stack = Stack(App(), "Cost", env=Environment(region="eu-north-1"))
    with pytest.raises(ConstructError, match="put the stack of this construct into us-east-1"):
        LaunchDenial(stack, "Denial", budget_name="b", role_names=ROLES, emails=["a@example.com"])
