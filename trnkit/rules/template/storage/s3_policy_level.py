"""TRN370: S3 actions stand beside the kind of ARN they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.policy_statements import covers
from trnkit.rules.reading.s3_arns import S3Arn, are_different, s3_arn
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

_ON_OBJECTS = {
    *("s3:getobject", "s3:putobject", "s3:deleteobject", "s3:getobjectversion"),
    *("s3:abortmultipartupload", "s3:listmultipartuploadparts"),
}
_ON_BUCKETS = {"s3:listbucket", "s3:getbucketlocation", "s3:listbucketmultipartuploads"}
_POLICIES = (
    *("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::S3::BucketPolicy"),
    *("AWS::IAM::RolePolicy", "AWS::IAM::GroupPolicy", "AWS::IAM::UserPolicy"),
)
_WITH_POLICIES = ("AWS::IAM::Role", "AWS::IAM::Group", "AWS::IAM::User")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource in stack_set.resources(*_POLICIES):
        yield from _judge(properties_of(resource)["PolicyDocument"])
    for resource in stack_set.resources(*_WITH_POLICIES):
        for policy in properties_of(resource)["Policies"].entries() or ():
            yield from _judge(policy["PolicyDocument"])


def _judge(document: TemplateValue) -> Iterator[Violation]:
    grants = [
        (statement, _arns(statement))
        for statement in document["Statement"].entries() or ()
        if statement["Effect"].text() == "Allow" and not statement["Resource"].is_absent
    ]
    for statement, arns in grants:
        levels = {arn.level for arn in arns}
        if "unknown" in levels or len(levels) != 1:
            continue
        wrong = _ON_OBJECTS if levels == {"bucket"} else _ON_BUCKETS
        actions = [entry.text() or "" for entry in statement["Action"].entries() or ()]
        names = [
            name
            for name in actions
            if name.lower() in wrong and not _is_given(name, statement, arns, grants)
        ]
        if names:
            yield _violation(statement, names, "bucket" in levels)


def _arns(statement: TemplateValue) -> list[S3Arn]:
    # A single ARN of which only the end is known is no list, but tells enough.
    resources = statement["Resource"].entries() or (statement["Resource"],)
    return [s3_arn(entry) for entry in resources]


def _is_given(
    action: str,
    statement: TemplateValue,
    arns: list[S3Arn],
    grants: list[tuple[TemplateValue, list[S3Arn]]],
) -> bool:
    """Whether another statement allows it on the other kind of ARN, or may do so."""
    for other, others in grants:
        if other.path == statement.path or covers(other, action) is False:
            continue
        if any(_is_counterpart(there, here) for there in others for here in arns):
            return True
    return False


def _is_counterpart(there: S3Arn, here: S3Arn) -> bool:
    if there.level == here.level:
        return False
    return (
        there.bucket is None or here.bucket is None or not are_different(there.bucket, here.bucket)
    )


def _violation(statement: TemplateValue, names: list[str], on_bucket: bool) -> Violation:
    resource: Resource = statement.resource
    here, there = ("the bucket", "its objects") if on_bucket else ("objects", "the bucket")
    form = "arn:...:bucket/*" if on_bucket else "arn:...:bucket without /*"
    return Violation(
        message=f"{resource.logical_id}: allows {alternatives(names, 'and')} on the ARN of {here} "
        f"only; it is about {there}, so it allows nothing",
        hint=f"add the resource {form}",
        resource=resource,
        path=(*statement.path, "Resource"),
    )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::IAM::Policy
    Properties:
      PolicyName: checkpoints
      Roles: [nodes]
      PolicyDocument:
        Version: "2012-10-17"
        Statement:
          - Effect: Allow
            Action: [s3:GetObject, s3:PutObject]
"""

RULE = TemplateRule(
    id="TRN370",
    title="S3 actions stand beside the kind of ARN they are about",
    severity=Severity.ERROR,
    why="Object actions match `bucket/*` and bucket actions match the bucket; beside the other "
    "kind alone they allow nothing, and jobs end with AccessDenied.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-arn-format.html",
    good=_HEAD + "            Resource: arn:aws:s3:::example-bucket/*\n",
    bad=_HEAD + "            Resource: arn:aws:s3:::example-bucket\n",
    check=_check,
)
