"""TRN861: principals of a policy are of a kind that AWS has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.template_value import TemplateValue, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_KINDS = ("AWS", "Service", "Federated", "CanonicalUser")
_POLICIES = {
    "AWS::IAM::Role": "AssumeRolePolicyDocument",
    "AWS::KMS::Key": "KeyPolicy",
    "AWS::S3::BucketPolicy": "PolicyDocument",
    "AWS::SNS::TopicPolicy": "PolicyDocument",
    "AWS::SQS::QueuePolicy": "PolicyDocument",
    "AWS::EFS::FileSystem": "FileSystemPolicy",
}


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for kind, key in _POLICIES.items():
        for resource in stack_set.resources(kind):
            for statement in properties_of(resource)[key]["Statement"].entries() or ():
                for principal in (statement["Principal"], statement["NotPrincipal"]):
                    yield from _judge(principal)


def _judge(principal: TemplateValue) -> Iterator[Violation]:
    resource = principal.resource
    for name in map(str, principal.mapping() or ()):
        if name not in _KINDS and not name.startswith("Fn::"):
            yield Violation(
                message=f"{resource.logical_id}: has a principal of the kind {name}; there are "
                f"{', '.join(_KINDS[:-1])} and {_KINDS[-1]}",
                hint="write "
                + alternatives([k for k in _KINDS if k.lower() == name.lower()] or _KINDS[:3]),
                resource=resource,
                path=(*principal.path, name),
            )
    for service in principal["Service"].entries() or () if principal.mapping() else ():
        text = service.text()
        if text is not None and "." not in text and text != "*":
            yield Violation(
                message=f"{resource.logical_id}: has the service {text} as a principal, which has "
                "no domain",
                hint=f"write {text}.amazonaws.com",
                resource=resource,
                path=service.path,
            )


_ROLE = """\
Resources:
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Version: "2012-10-17"
        Statement:
          - Effect: Allow
            Action: sts:AssumeRole
            Principal: {%s: ec2.amazonaws.com}
"""

RULE = TemplateRule(
    id="TRN861",
    title="principals of a policy are of a kind that AWS has",
    severity=Severity.ERROR,
    why="AWS refuses the policy, and what it belongs to: MalformedPolicyDocument, invalid "
    "principal. Kinds are case sensitive, and a service is written with its domain.",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html",
    good=_ROLE % "Service",
    bad=_ROLE % "service",
    check=_check,
)
