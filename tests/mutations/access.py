"""Mistakes in roles, keys and what all stacks share."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.mutations.kind import Kind, Properties, Template, each, put

_compute = partial(Kind, stack="Compute")
_cost = partial(Kind, stack="Cost")
_ROLE, _KEY = "AWS::IAM::Role", "AWS::KMS::Key"


def _trusted(principal: dict[str, Any]) -> Any:
    def change(properties: Properties) -> None:
        for statement in properties["AssumeRolePolicyDocument"]["Statement"]:
            statement["Principal"] = principal

    return each(_ROLE, change)


def _locked_out(properties: Properties) -> None:
    policy = properties["KeyPolicy"]
    policy["Statement"] = [one for one in policy["Statement"] if one["Action"] != "kms:*"]


def _carried_over(template: Template) -> bool:
    """What the CDK makes when stacks of two Regions refer to each other."""
    template["Resources"]["Reader"] = {
        "Type": "Custom::CrossRegionExportReader",
        "Properties": {"ServiceToken": "arn:aws:lambda:us-east-1:111122223333:function:reader"},
    }
    return True


def _many_resources(template: Template) -> bool:
    for index in range(501):
        template["Resources"][f"Bucket{index}"] = {"Type": "AWS::S3::Bucket", "Properties": {}}
    return True


ACCESS = (
    _compute(
        id="a role that Lambda alone may take",
        change=_trusted({"Service": "lambda.amazonaws.com"}),
        rule="TRN860",
    ),
    _compute(
        id="a misspelt kind of principal",
        change=_trusted({"service": "ec2.amazonaws.com"}),
        rule="TRN861",
    ),
    _compute(
        id="a managed policy of another partition",
        change=put(
            _ROLE,
            "ManagedPolicyArns",
            ["arn:aws-cn:iam::aws:policy/AmazonSSMManagedInstanceCore"],
        ),
        rule="TRN865",
    ),
    _cost(id="a key that nobody can change", change=each(_KEY, _locked_out), rule="TRN863"),
    _cost(id="values carried between regions", change=_carried_over, rule="TRN853"),
    _cost(id="more resources than a template holds", change=_many_resources, rule="TRN850"),
)
