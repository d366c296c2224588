"""Roles and policies that IAM refuses."""

from __future__ import annotations

from functools import partial

from tests.rehearsal.mutant import Mutant, add, put

_nodes = partial(Mutant, stack="Compute")

_ROLE, _PROFILE = "AWS::IAM::Role", "AWS::IAM::InstanceProfile"
_TRUST = "AssumeRolePolicyDocument.Statement.0"
_IAM = "https://docs.aws.amazon.com/IAM/latest"
_ELEMENTS = f"{_IAM}/UserGuide/reference_policies_elements_principal.html"
_QUOTAS = f"{_IAM}/UserGuide/reference_iam-quotas.html"


def _policy(statements: int) -> dict[str, object]:
    return {
        "PolicyName": "Inline",
        "PolicyDocument": {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Allow",
                    "Action": "s3:GetObject",
                    "Resource": f"arn:aws:s3:::example-training-corpus/part-{n:050}",
                }
                for n in range(statements)
            ],
        },
    }


MUTANTS = (
    _nodes(
        id="policies-longer-than-a-role-holds",
        change=put(_ROLE, "Policies", [_policy(100)]),
        says="Maximum policy size of 10240 bytes exceeded for role",
        source=_QUOTAS,
    ),
    _nodes(
        id="trust-in-an-unknown-kind-of-principal",
        change=put(_ROLE, f"{_TRUST}.Principal", {"Machine": "ec2.amazonaws.com"}),
        says="Invalid principal in policy",
        source=_ELEMENTS,
    ),
    _nodes(
        id="trust-in-nobody",
        change=put(
            _ROLE,
            "AssumeRolePolicyDocument",
            {
                "Version": "2012-10-17",
                "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole"}],
            },
        ),
        says="Missing required field Principal",
        source=_ELEMENTS,
    ),
    _nodes(
        id="trust-about-a-resource",
        change=put(_ROLE, f"{_TRUST}.Resource", "*"),
        says="Has prohibited field Resource",
        source=f"{_IAM}/UserGuide/reference_policies_elements_resource.html",
    ),
    _nodes(
        id="managed-policy-that-does-not-exist",
        change=put(_ROLE, "ManagedPolicyArns", ["arn:aws:iam::111122223333:policy/nothing"]),
        says="policy/nothing does not exist or is not attachable",
        source=f"{_IAM}/APIReference/API_AttachRolePolicy.html",
    ),
    _nodes(
        id="role-with-a-name-of-65-letters",
        change=put(_ROLE, "RoleName", "r" * 65),
        says="Properties validation failed for resource of type AWS::IAM::Role: #/RoleName",
        source=_QUOTAS,
    ),
    _nodes(
        id="session-of-thirteen-hours",
        change=put(_ROLE, "MaxSessionDuration", 46801),
        says="Properties validation failed for resource of type AWS::IAM::Role",
    ),
    _nodes(
        id="profile-of-two-roles",
        change=put(_PROFILE, "Roles.+", "another"),
        says="Properties validation failed for resource of type AWS::IAM::InstanceProfile: #/Roles",
        source=_QUOTAS,
    ),
    _nodes(
        id="profile-of-a-role-that-does-not-exist",
        change=put(_PROFILE, "Roles", ["nobody"]),
        says="The role with name nobody cannot be found",
        source=f"{_IAM}/APIReference/API_AddRoleToInstanceProfile.html",
    ),
    _nodes(
        id="policy-of-a-role-that-does-not-exist",
        change=add("More", "AWS::IAM::Policy", {**_policy(1), "Roles": ["nobody"]}),
        says="The role with name nobody cannot be found",
        source=f"{_IAM}/APIReference/API_PutRolePolicy.html",
    ),
    _nodes(
        id="policy-of-nobody",
        change=add("More", "AWS::IAM::Policy", _policy(1)),
        says="Properties validation failed for resource of type AWS::IAM::Policy",
        source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-iam-policy.html",
    ),
    _nodes(
        id="policy-without-an-action",
        change=put(
            _ROLE,
            "Policies",
            [
                {
                    "PolicyName": "Inline",
                    "PolicyDocument": {
                        "Version": "2012-10-17",
                        "Statement": [{"Effect": "Allow", "Resource": "*"}],
                    },
                }
            ],
        ),
        says="Policy statement must contain actions",
        source=f"{_IAM}/UserGuide/reference_policies_elements_action.html",
    ),
    _nodes(
        id="policy-of-an-unknown-version",
        change=put(_ROLE, "AssumeRolePolicyDocument.Version", "2024-01-01"),
        says="The policy must contain a valid version string",
        source=f"{_IAM}/UserGuide/reference_policies_elements_version.html",
    ),
)
