"""TRN370: S3 actions stand beside the kind of ARN they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.template_value import TemplateValue, properties_of
from trnkit.rules.rule import TemplateRule, Violation
from trnkit.rules.stack_set import Reference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

_Level = Literal["bucket", "object", "unknown"]

_ON_OBJECTS = {
    *("s3:getobject", "s3:putobject", "s3:deleteobject", "s3:getobjectversion"),
    *("s3:abortmultipartupload", "s3:listmultipartuploadparts"),
}
_ON_BUCKETS = {"s3:listbucket", "s3:getbucketlocation", "s3:listbucketmultipartuploads"}
_POLICIES = ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::S3::BucketPolicy")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource in stack_set.resources(*_POLICIES):
        yield from _judge(properties_of(resource)["PolicyDocument"])
    for resource in stack_set.resources("AWS::IAM::Role"):
        for policy in properties_of(resource)["Policies"].entries() or ():
            yield from _judge(policy["PolicyDocument"])


def _judge(document: TemplateValue) -> Iterator[Violation]:
    for statement in document["Statement"].entries() or ():
        if statement["Effect"].text() != "Allow" or statement["Resource"].is_absent:
            continue
        # A single ARN of which only the end is known is no list, but tells enough.
        resources = statement["Resource"].entries() or (statement["Resource"],)
        actions = statement["Action"].entries() or ()
        levels = {_level(entry) for entry in resources}
        if "unknown" in levels or len(levels) != 1:
            continue
        wrong = _ON_OBJECTS if levels == {"bucket"} else _ON_BUCKETS
        names = [name for entry in actions if (name := entry.text() or "").lower() in wrong]
        if names:
            yield _violation(statement, names, "bucket" in levels)


def _level(value: TemplateValue) -> _Level:
    """What an ARN names; wildcards may name both."""
    if isinstance(value.value, Reference):
        bucket = value.value.resource.type == "AWS::S3::Bucket"
        return "bucket" if bucket and value.value.attribute == "Arn" else "unknown"
    text, tail = value.text(), value.tail() or ""
    _, is_s3, name = (tail if text is None else text).partition(":s3:::")
    if not is_s3:
        return "object" if text is None and tail.startswith("/") else "unknown"
    return "object" if "/" in name else "unknown" if "*" in name else "bucket"


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
