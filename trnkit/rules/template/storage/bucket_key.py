"""TRN378: a bucket with a key of its own is encrypted with KMS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for bucket in stack_set.resources("AWS::S3::Bucket"):
        encryption = properties_of(bucket)["BucketEncryption"]
        for rule in encryption["ServerSideEncryptionConfiguration"].entries() or ():
            default = rule["ServerSideEncryptionByDefault"]
            algorithm, key = default["SSEAlgorithm"], default["KMSMasterKeyID"]
            if algorithm.text() == "AES256" and not key.is_absent and not key.is_unknown:
                text = "is AES256, S3's own encryption, beside a KMSMasterKeyID"
                yield at_value(algorithm, Objection(text, "write aws:kms, or remove the key"))


_HEAD = """\
Resources:
  Key: {Type: AWS::KMS::Key, DeletionPolicy: Retain, UpdateReplacePolicy: Retain}
  Checkpoints:
    Type: AWS::S3::Bucket
    Properties:
      BucketEncryption:
        ServerSideEncryptionConfiguration:
          - ServerSideEncryptionByDefault: {KMSMasterKeyID: {Ref: Key}, SSEAlgorithm: %s}
"""

RULE = TemplateRule(
    id="TRN378",
    title="a bucket with a key of its own is encrypted with KMS",
    severity=Severity.ERROR,
    why="S3 refuses a key beside AES256 when the stack is deployed.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ServerSideEncryptionByDefault.html",
    good=_HEAD % "aws:kms",
    bad=_HEAD % "AES256",
    check=_check,
)
