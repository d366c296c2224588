"""The enforcer's role: every call that the handler makes is allowed, and no dangerous one is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_sns as sns

from constructs_lib.cost import SpendEnforcer
from tests.constructs_lib.cost.enforcer.plans import PLAN, WATCHDOG, group
from tests.constructs_lib.cost.enforcer.privileges import ACCOUNT, REGION, allowed, plain

ASG = f"arn:aws:autoscaling:{REGION}:{ACCOUNT}:autoScalingGroup:1a2b:autoScalingGroupName/train-1A"
NODE = f"arn:aws:ec2:{REGION}:{ACCOUNT}:instance/i-0123456789abcdef0"
DOCUMENT = f"arn:aws:ssm:{REGION}::document/AWS-RunShellScript"
TABLE = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/guard"


@pytest.fixture
def role(stack, resources):
    """Statements of the role, for a plan."""

    def of(watchdog=WATCHDOG, **plan):
        table = dynamodb.Table.from_table_arn(stack, "Table", TABLE)
        topic = sns.Topic(stack, "Alerts")
        plan = replace(PLAN, **plan)
        SpendEnforcer(stack, "Enforcer", watchdog=watchdog, plan=plan, table=table, topic=topic)
        found = resources("AWS::IAM::Policy").values()
        return [
            plain(statement)
            for policy in found
            for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        ]

    return of


def tags(cluster="pretrain", group="train", prefix="aws:ResourceTag"):
    return {f"{prefix}/trnkit-cluster": cluster, f"{prefix}/trnkit-node-group": group}


def test_all_that_the_handler_calls_is_allowed(role):
    statements = role()
    for action in ("SuspendProcesses", "ResumeProcesses", "UpdateAutoScalingGroup"):
        assert allowed(statements, f"autoscaling:{action}", ASG, tags())
    assert allowed(statements, "autoscaling:DescribeAutoScalingGroups", "*")
    assert allowed(statements, "ssm:SendCommand", DOCUMENT)
    assert allowed(statements, "ssm:SendCommand", NODE, tags(prefix="ssm:resourceTag"))
    for action in ("GetItem", "PutItem", "UpdateItem", "Query"):
        for key in ("guard", "audit"):
            context = {"dynamodb:LeadingKeys": [key]}
            assert allowed(statements, f"dynamodb:{action}", TABLE, context)
    (topic,) = [s["Resource"] for s in statements if s["Action"] == "sns:Publish"]
    assert allowed(statements, "sns:Publish", topic)


@pytest.mark.parametrize("action", ["SuspendProcesses", "UpdateAutoScalingGroup"])
@pytest.mark.parametrize(
    "context",
    [
        tags(group="serve"),
        tags(group="block"),
        tags(cluster="another"),
        {"aws:ResourceTag/trnkit-node-group": "train"},
        {"aws:ResourceTag/trnkit-cluster": "pretrain"},
        {},
    ],
)
def test_protected_groups_and_those_of_others_cannot_be_changed(role, action, context):
    assert not allowed(role(), f"autoscaling:{action}", ASG, context)


def test_nodes_of_protected_groups_and_of_others_are_told_nothing(role):
    statements = role()
    for context in (tags(group="serve"), tags(cluster="another"), {}):
        told = {key.replace("aws:R", "ssm:r"): value for key, value in context.items()}
        assert not allowed(statements, "ssm:SendCommand", NODE, told)
    document = DOCUMENT.replace("AWS-RunShellScript", "AWS-TerminateEC2Instance")
    assert not allowed(statements, "ssm:SendCommand", document)


@pytest.mark.parametrize(
    "action",
    [
        "autoscaling:DeleteAutoScalingGroup",
        "autoscaling:SetDesiredCapacity",
        "autoscaling:TerminateInstanceInAutoScalingGroup",
        "autoscaling:CreateOrUpdateTags",
        "dynamodb:DeleteItem",
        "dynamodb:DeleteTable",
        "ec2:DeleteVolume",
        "ec2:RunInstances",
        "ec2:StopInstances",
        "ec2:TerminateInstances",
        "ec2:CreateTags",
        "elasticfilesystem:DeleteFileSystem",
        "fsx:DeleteFileSystem",
        "fsx:UpdateFileSystem",
        "iam:AttachRolePolicy",
        "iam:PassRole",
        "iam:PutRolePolicy",
        "kms:ScheduleKeyDeletion",
        "lambda:UpdateFunctionCode",
        "s3:DeleteBucket",
        "s3:DeleteObject",
        "s3:PutObject",
        "sns:DeleteTopic",
        "ssm:StartSession",
        "sts:AssumeRole",
    ],
)
def test_nothing_dangerous_is_allowed_whatever_the_tags(role, action):
    context = tags() | tags(prefix="ssm:resourceTag") | {"dynamodb:LeadingKeys": ["guard"]}
    statements = role()
    for resource in ("*", ASG, NODE, TABLE, "arn:aws:s3:::checkpoints/step-1000"):
        assert not allowed(statements, action, resource, context)


def test_the_ledger_cannot_be_read_or_written(role):
    statements = role()
    for action in ("GetItem", "PutItem", "UpdateItem", "Query"):
        context = {"dynamodb:LeadingKeys": ["ledger#2026-11"]}
        assert not allowed(statements, f"dynamodb:{action}", TABLE, context)


def test_a_dry_run_may_change_nothing_of_a_cluster(role):
    statements = role(mode="dry-run", idle_mode="dry-run")
    for action in ("SuspendProcesses", "ResumeProcesses", "UpdateAutoScalingGroup"):
        assert not allowed(statements, f"autoscaling:{action}", ASG, tags())
    assert not allowed(statements, "ssm:SendCommand", DOCUMENT)
    assert allowed(statements, "autoscaling:DescribeAutoScalingGroups", "*")


def test_without_time_for_a_checkpoint_nobody_may_be_told(role):
    assert not allowed(role(checkpoint_minutes=0), "ssm:SendCommand", DOCUMENT)


def test_every_action_exists(role):
    import botocore.session

    session = botocore.session.get_session()
    names = {"logs": ("CreateLogStream", "PutLogEvents"), "sqs": ("SendMessage",)}
    for statement in role():
        listed = statement["Action"]
        for action in listed if isinstance(listed, list) else [listed]:
            service, _, name = action.partition(":")
            known = names.get(service) or session.get_service_model(service).operation_names
            assert name in known or action == "sqs:GetQueueAttributes" or service == "sqs", action


@pytest.mark.parametrize(
    ("driver", "action", "resource"),
    [
        ("pcs", "pcs:UpdateComputeNodeGroup", "pcs:{}:cluster/hpc/computenodegroup/pcs_1"),
        ("eks", "eks:UpdateNodegroupConfig", "eks:{}:nodegroup/kube/train/1a2b"),
        ("batch", "batch:UpdateComputeEnvironment", "batch:{}:compute-environment/train"),
        ("sagemaker", "sagemaker:UpdateCluster", "sagemaker:{}:cluster/abcdef012345"),
    ],
)
def test_other_services_are_allowed_only_where_they_are_used(role, driver, action, resource):
    arn = "arn:aws:" + resource.format(f"{REGION}:{ACCOUNT}")
    watchdog = replace(WATCHDOG, groups=(group("train", driver=driver, resource="a/b"),))
    statements = role(watchdog, protected_node_groups=(), idle_protected_node_groups=())
    assert allowed(statements, action, arn, tags())
    assert not allowed(statements, action, arn, tags(cluster="another"))
    assert not allowed(statements, "autoscaling:UpdateAutoScalingGroup", ASG, tags())
    passes = {"iam:PassedToService": "sagemaker.amazonaws.com"}
    role_arn = f"arn:aws:iam::{ACCOUNT}:role/nodes"
    assert allowed(statements, "iam:PassRole", role_arn, passes) is (driver == "sagemaker")
