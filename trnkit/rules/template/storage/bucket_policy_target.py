"""TRN379: a bucket policy is about the bucket that it is put on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.s3_arns import BUCKET, are_different, s3_arn
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for policy in stack_set.resources("AWS::S3::BucketPolicy"):
        properties = properties_of(policy)
        owner = properties["Bucket"]
        own = owner.referred(BUCKET) or owner.text()
        for statement in properties["PolicyDocument"]["Statement"].entries() or ():
            resources = statement["Resource"]
            entries = (resources,) if resources.is_unknown else resources.entries() or ()
            for entry in entries if own is not None else ():
                other = s3_arn(entry).bucket
                if other is not None and own is not None and are_different(own, other):
                    text = f"is about {_name(other)}, but the policy is that of {_name(own)}"
                    where = Objection(text, "name the policy's own bucket and its objects")
                    yield at_value(resources, where)


def _name(bucket: Resource | str) -> str:
    return bucket if isinstance(bucket, str) else bucket.logical_id


_HEAD = """\
Resources:
  Data: {Type: AWS::S3::Bucket}
  Checkpoints: {Type: AWS::S3::Bucket}
  Policy:
    Type: AWS::S3::BucketPolicy
    Properties:
      Bucket: {Ref: Checkpoints}
      PolicyDocument:
        Version: "2012-10-17"
        Statement:
          - Effect: Deny
            Principal: "*"
            Action: s3:*
            Condition: {Bool: {aws:SecureTransport: "false"}}
"""

RULE = TemplateRule(
    id="TRN379",
    title="a bucket policy is about the bucket that it is put on",
    severity=Severity.ERROR,
    why="S3 refuses the policy: MalformedPolicy, it has an invalid resource.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketPolicy.html",
    good=_HEAD + "            Resource: {Fn::Sub: '${Checkpoints.Arn}/*'}\n",
    bad=_HEAD + "            Resource: {Fn::Sub: '${Data.Arn}/*'}\n",
    check=_check,
)
