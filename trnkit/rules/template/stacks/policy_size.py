"""TRN862: policies are no longer than IAM takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.catalog import policy_limits
from trnkit.findings import Severity
from trnkit.rules.reading.intrinsics import function_name
from trnkit.rules.reading.template_value import TemplateValue, as_list, as_mapping, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

_ROLE = "AWS::IAM::Role"
_ENOUGH = 100_000


def _check(stack_set: StackSet) -> Iterator[Violation]:
    limits = policy_limits()
    evidence = f"catalogue, lengths of policies ({limits.date})"
    inline = _inline_policies(stack_set)
    for role, documents in inline.items():
        size = sum(_length(document) for document in documents)
        if size > limits.inline_policies_of_a_role:
            yield Violation(
                message=f"{role.logical_id}: its inline policies have at least {size} characters; "
                f"a role holds {limits.inline_policies_of_a_role}",
                hint="make managed policies, or write actions and resources with wildcards",
                resource=role,
                path=documents[0].path if documents[0].resource is role else ("Properties",),
                evidence=evidence,
            )
    for policy in stack_set.resources("AWS::IAM::ManagedPolicy"):
        document = properties_of(policy)["PolicyDocument"]
        size = _length(document)
        if size > limits.managed_policy:
            yield Violation(
                message=f"{policy.logical_id}: has at least {size} characters; a managed policy "
                f"has {limits.managed_policy}",
                hint="make two of it, or write actions and resources with wildcards",
                resource=policy,
                path=document.path,
                evidence=evidence,
            )


def _inline_policies(stack_set: StackSet) -> dict[Resource, list[TemplateValue]]:
    """The documents of each role, its own and those put on it, but for conditional ones."""
    found: dict[Resource, list[TemplateValue]] = {}
    for role in stack_set.resources(_ROLE):
        own = properties_of(role)["Policies"].entries() or ()
        found[role] = [policy["PolicyDocument"] for policy in own]
    for kind, key in (("AWS::IAM::Policy", "Roles"), ("AWS::IAM::RolePolicy", "RoleName")):
        for policy in stack_set.resources(kind):
            properties = properties_of(policy)
            for value in properties[key].entries() or ():
                role = value.referred(_ROLE)
                if role is not None and policy.is_made:
                    found[role].append(properties["PolicyDocument"])
    return {role: documents for role, documents in found.items() if documents}


def _length(document: TemplateValue) -> int:
    """How long a document is at least. What is not known may be short."""
    template, size = document.resource.template, 0
    waiting: list[Any] = [document.raw]
    while waiting and size < _ENOUGH:
        raw = waiting.pop()
        value = template.resolve(raw)
        text = template.text(raw)
        mapping, items = as_mapping(value), as_list(value)
        if text is not None:
            size += 2 + sum(not sign.isspace() for sign in text)
        elif function_name(raw) is not None and mapping is None and items is None:
            size += 2
        elif mapping is not None:
            size += 1 + 2 * len(mapping)
            for key, part in mapping.items():
                waiting += [str(key), part]
        elif items is not None:
            size += 1 + len(items)
            waiting += items
    return size


_ROLE_WITH_POLICY = """\
Resources:
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Version: "2012-10-17"
        Statement:
          - {Effect: Allow, Action: sts:AssumeRole, Principal: {Service: ec2.amazonaws.com}}
      Policies:
        - PolicyName: nodes
          PolicyDocument:
            Version: "2012-10-17"
            Statement:
              - &grant
                Effect: Allow
                Action: [s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload]
                Resource: arn:aws:s3:::example-bucket-of-one-team-among-many/checkpoints/*
"""
_AGAIN = "              - *grant\n"

RULE = TemplateRule(
    id="TRN862",
    title="policies are no longer than IAM takes",
    severity=Severity.ERROR,
    why="IAM refuses the policy that goes beyond the sum of a role's inline policies, or beyond "
    "one managed policy: LimitExceeded. Roles that gather grants come there unnoticed.",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html",
    good=_ROLE_WITH_POLICY + _AGAIN,
    bad=_ROLE_WITH_POLICY + _AGAIN * 60,
    check=_check,
)
