"""The policy before other judges: cfn-lint, moto's IAM and botocore's models."""

from __future__ import annotations

import json
import re

import boto3
import botocore.session
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from trnkit.aws.permissions import read_only_policy, read_operations

PREFIXES = {
    "efs": "elasticfilesystem",
    "resourcegroupstaggingapi": "tag",
    "service-quotas": "servicequotas",
}
"""Services whose actions begin with another word than boto3's name of the service.

https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
"""

NAMED_OTHERWISE = {
    "budgets:DescribeBudgets": "budgets:ViewBudget",
    "s3:GetBucketEncryption": "s3:GetEncryptionConfiguration",
    "s3:HeadBucket": "s3:ListBucket",
}
"""Operation -> its action, where IAM calls it something else than the API does."""

PARAMETERS = ["/ml/golden", "/ml/other:3"]


@pytest.mark.parametrize("partition", ["aws", "aws-cn", "aws-us-gov"])
def test_cfn_lint_takes_it_as_a_managed_policy(partition):
    from cfnlint.api import lint
    from cfnlint.config import ManualArgs

    def judge(document):
        policy = {"Type": "AWS::IAM::ManagedPolicy", "Properties": {"PolicyDocument": document}}
        template = {"AWSTemplateFormatVersion": "2010-09-09", "Resources": {"Reads": policy}}
        matches = lint(json.dumps(template), config=ManualArgs(regions=["us-east-2"]))
        return [(match.rule.id, match.message) for match in matches]

    document = read_only_policy(PARAMETERS, partition=partition)
    assert judge(document) == []
    document["Statement"][0]["Action"].append("ec2:DescribeTheMoon")
    assert [rule for rule, _ in judge(document)] == ["W3037"]


def test_iam_takes_it_as_moto_judges():
    with mock_aws():
        iam = boto3.client("iam", region_name="us-east-1")
        document = read_only_policy(PARAMETERS)
        made = iam.create_policy(PolicyName="reads", PolicyDocument=json.dumps(document))
        kept = iam.get_policy_version(PolicyArn=made["Policy"]["Arn"], VersionId="v1")
        assert kept["PolicyVersion"]["Document"] == document
        document["Statement"][0]["Effect"] = "Perhaps"
        with pytest.raises(ClientError, match="MalformedPolicyDocument"):
            iam.create_policy(PolicyName="wrong", PolicyDocument=json.dumps(document))


def test_statements_are_told_apart():
    sids = [statement["Sid"] for statement in read_only_policy(PARAMETERS)["Statement"]]
    assert len(set(sids)) == len(sids)
    assert all(re.fullmatch("[A-Za-z0-9]+", sid) for sid in sids)


def test_it_fits_into_a_managed_policy_with_room_for_parameters():
    """IAM counts all but white space: at most 6,144 characters.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
    """
    parameters = [f"/a-team/images/of-a-cluster/{n:03}" for n in range(20)]
    document = json.dumps(read_only_policy(parameters, partition="aws-us-gov"), indent=2)
    assert len(re.sub(r"\s", "", document)) < 6144


@pytest.mark.parametrize(
    "operation", read_operations(), ids=lambda operation: f"{operation.service}:{operation.name}"
)
def test_an_action_is_named_as_the_operation_is(operation):
    session = botocore.session.get_session()
    prefix = PREFIXES.get(operation.service, operation.service)
    if operation.permission is not None:
        named = f"{prefix}:{operation.name}"
        assert operation.permission == NAMED_OTHERWISE.get(named, named)
    services = {prefix: name for name, prefix in PREFIXES.items()}
    for action in operation.also:
        prefix, _, name = action.partition(":")
        model = session.get_service_model(services.get(prefix, prefix))
        assert name in model.operation_names
        assert re.match("(Describe|Get|List)[A-Z]", name)


def test_what_is_named_otherwise_is_asked():
    asked = {f"{PREFIXES.get(o.service, o.service)}:{o.name}" for o in read_operations()}
    assert set(NAMED_OTHERWISE) <= asked
