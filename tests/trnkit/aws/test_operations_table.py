"""Only operations that read are asked, all of them declared, and the policy allows just these."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import boto3
import botocore.session
import pytest
from botocore.stub import Stubber

import trnkit.aws
from trnkit.aws.ec2 import Ec2Gateway
from trnkit.aws.instance_types import InstanceTypeGateway
from trnkit.aws.lambda_function import INVOKE
from trnkit.aws.permissions import (
    change_operations,
    gateways,
    guard_policy,
    read_only_policy,
    read_operations,
)
from trnkit.aws.read_operation import ReadOperation
from trnkit.aws.session import AwsSession
from trnkit.aws.ssm import GET_PARAMETER

ROOM = Path(trnkit.aws.__file__).parent
MODULES = sorted(path for path in ROOM.glob("*.py") if path.stem != "__init__")
# The last asks for the headers of an answer, without the answer.
READS = re.compile(r"(Describe|Get|List|Head)[A-Z]")
NO_READS = {"GetSecretValue", "GetParameterHistory", "GetPasswordData", "GetSessionToken"}


def named(operation):
    return f"{operation.service}:{operation.name}"


@pytest.mark.parametrize("operation", read_operations(), ids=named)
def test_every_operation_exists_and_only_reads(operation):
    model = botocore.session.get_session().get_service_model(operation.service)
    assert operation.name in model.operation_names
    assert READS.match(operation.name)
    assert operation.name not in NO_READS
    assert operation.purpose


def test_the_operations_are_these():
    assert [named(operation) for operation in read_operations()] == [
        "autoscaling:DescribeAccountLimits",
        "autoscaling:DescribeAutoScalingGroups",
        "budgets:DescribeBudgets",
        "ce:GetAnomalyMonitors",
        "ce:ListCostAllocationTags",
        "cloudformation:DescribeStacks",
        "cloudformation:ListExports",
        "cloudformation:ListStackResources",
        "ec2:DescribeAddresses",
        "ec2:DescribeAvailabilityZones",
        "ec2:DescribeCapacityBlockOfferings",
        "ec2:DescribeCapacityReservations",
        "ec2:DescribeDhcpOptions",
        "ec2:DescribeImages",
        "ec2:DescribeInstanceTypeOfferings",
        "ec2:DescribeInstanceTypes",
        "ec2:DescribeInstances",
        "ec2:DescribeNatGateways",
        "ec2:DescribeNetworkAcls",
        "ec2:DescribeNetworkInterfaces",
        "ec2:DescribePlacementGroups",
        "ec2:DescribeRegions",
        "ec2:DescribeRouteTables",
        "ec2:DescribeSecurityGroupVpcAssociations",
        "ec2:DescribeSecurityGroups",
        "ec2:DescribeSnapshots",
        "ec2:DescribeSpotInstanceRequests",
        "ec2:DescribeSpotPriceHistory",
        "ec2:DescribeSubnets",
        "ec2:DescribeVolumes",
        "ec2:DescribeVpcAttribute",
        "ec2:DescribeVpcEndpoints",
        "ec2:DescribeVpcs",
        "ec2:GetEbsDefaultKmsKeyId",
        "ec2:GetManagedPrefixListEntries",
        "ec2:GetSpotPlacementScores",
        "efs:DescribeFileSystems",
        "fsx:DescribeFileSystems",
        "iam:GetRole",
        "imagebuilder:ListDistributionConfigurations",
        "imagebuilder:ListImagePipelines",
        "imagebuilder:ListImageRecipes",
        "imagebuilder:ListInfrastructureConfigurations",
        "imagebuilder:ListLifecyclePolicies",
        "kms:DescribeKey",
        "kms:GetKeyPolicy",
        "kms:ListGrants",
        "organizations:DescribeOrganization",
        "pricing:GetProducts",
        "resource-groups:GetGroupConfiguration",
        "resource-groups:ListGroupResources",
        "s3:GetBucketEncryption",
        "s3:GetBucketPolicy",
        "s3:HeadBucket",
        "service-quotas:GetAWSDefaultServiceQuota",
        "service-quotas:GetServiceQuota",
        "service-quotas:ListServiceQuotas",
        "sns:GetTopicAttributes",
        "sns:ListSubscriptionsByTopic",
        "ssm:GetParameter",
        "sts:GetCallerIdentity",
    ]


def test_every_gateway_is_in_the_room_itself():
    assert {gateway.__module__.rpartition(".")[0] for gateway in gateways()} == {"trnkit.aws"}
    assert len(gateways()) >= 8


@pytest.mark.parametrize("gateway", gateways(), ids=lambda gateway: gateway.__name__)
def test_a_gateway_asks_its_own_service(gateway):
    asked = (*gateway.operations, *gateway.changes)
    assert {operation.service for operation in asked} == {gateway.service}


def test_one_gateway_asks_an_operation():
    declared = [named(operation) for gateway in gateways() for operation in gateway.operations]
    assert sorted(declared) == sorted(set(declared))


def test_nothing_but_the_gateway_and_the_session_touch_a_client():
    touching = {}
    for path in MODULES:
        if path.stem in ("gateway", "session"):
            continue
        calls = [
            node.attr
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Attribute)
            and node.attr in ("client", "_client_for", "_session")
        ]
        if calls or "boto3.client" in path.read_text():
            touching[path.stem] = calls
    assert touching == {}


def test_an_operation_that_is_not_declared_is_not_asked():
    other = ReadOperation(service="ec2", name="TerminateInstances", permission=None, purpose="x")
    with pytest.raises(ValueError, match="TerminateInstances is not declared by Ec2Gateway"):
        Ec2Gateway(AwsSession(), "us-east-2")._ask(other)


def test_what_may_change_something_is_this_alone():
    assert change_operations() == (INVOKE,)
    (gateway,) = [gateway for gateway in gateways() if gateway.changes]
    assert gateway.operations == ()
    model = botocore.session.get_session().get_service_model(INVOKE.service)
    assert INVOKE.name in model.operation_names


def test_only_the_guards_command_reaches_what_may_change_something():
    """By imports: no other module names the gateway."""
    root = ROOM.parent
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if "trnkit.aws.lambda_function" in path.read_text() and path.parent != ROOM
    }
    assert found == {"operations/guarding.py"}


def test_the_policy_that_reads_runs_no_function_and_the_guards_does_nothing_else():
    reads = json.dumps(read_only_policy())
    assert "lambda:" not in reads
    statements = guard_policy(partition="aws-cn")["Statement"]
    assert [statement["Action"] for statement in statements] == [
        ["cloudformation:ListStackResources"],
        ["lambda:InvokeFunction"],
    ]
    assert statements[1]["Resource"] == ["arn:aws-cn:lambda:*:*:function:*SpendEnforcer*"]


def test_the_policy_allows_every_operation_and_nothing_else():
    statements = read_only_policy()["Statement"]
    allowed = [action for statement in statements for action in statement["Action"]]
    operations = read_operations()
    named = {operation.permission for operation in operations if operation.permission}
    assert sorted(allowed) == sorted(named.union(*(operation.also for operation in operations)))
    assert {statement["Effect"] for statement in statements} == {"Allow"}
    assert "sts:GetCallerIdentity" not in allowed
    assert not [action for action in allowed if "*" in action]


def statement_of(action, policy):
    (found,) = [s for s in policy["Statement"] if action in s["Action"]]
    return found


def test_only_parameters_of_aws_and_of_the_cdk_may_be_read():
    narrow = statement_of("ssm:GetParameter", read_only_policy())
    assert narrow["Action"] == ["ssm:GetParameter"]
    assert narrow["Resource"] == list(GET_PARAMETER.resources)


def test_only_roles_of_services_may_be_looked_at():
    narrow = statement_of("iam:GetRole", read_only_policy(partition="aws-cn"))
    assert narrow["Action"] == ["iam:GetRole"]
    assert narrow["Resource"] == [
        "arn:aws-cn:iam::*:role/aws-service-role/*",
        "arn:aws-cn:iam::*:role/AWSServiceRoleFor*",
    ]


def test_every_statement_has_an_id_of_its_own():
    ids = [statement["Sid"] for statement in read_only_policy()["Statement"]]
    assert len(set(ids)) == len(ids) >= 3
    assert all(sid.isalnum() for sid in ids)


def test_own_parameters_are_added_and_the_partition_is_the_one_asked_for():
    policy = read_only_policy(["/ml/golden:3"], partition="aws-us-gov")
    narrow = statement_of("ssm:GetParameter", policy)
    assert narrow["Resource"][-1] == "arn:aws-us-gov:ssm:*:*:parameter/ml/golden"
    assert "arn:aws:" not in json.dumps(policy)


def test_a_policy_fits_into_a_managed_policy():
    assert len(json.dumps(read_only_policy(), separators=(",", ":"))) < 6144


def test_all_pages_are_read_and_each_is_a_turn(monkeypatch):
    client = boto3.client("ec2", region_name="us-east-2")
    session = AwsSession()
    monkeypatch.setattr(session, "client", lambda service, region: client)
    offering = {"InstanceType": "trn2.48xlarge", "LocationType": "availability-zone-id"}
    asked = {
        "LocationType": "availability-zone-id",
        "Filters": [{"Name": "instance-type", "Values": ["trn2.48xlarge"]}],
        "MaxResults": 100,
    }
    with Stubber(client) as answers:
        first = {"InstanceTypeOfferings": [offering | {"Location": "use2-az3"}], "NextToken": "n"}
        second = {"InstanceTypeOfferings": [offering | {"Location": "use2-az1"}]}
        answers.add_response("describe_instance_type_offerings", first, asked)
        answers.add_response("describe_instance_type_offerings", second, asked | {"NextToken": "n"})
        gateway = InstanceTypeGateway(session, "us-east-2")
        found = gateway.offerings(["trn2.48xlarge"], "availability-zone-id")
        answers.assert_no_pending_responses()
    assert found == {"trn2.48xlarge": ("use2-az1", "use2-az3")}
    assert session.answered
