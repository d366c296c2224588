"""TRN389: the key of retained data is retained too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.retention import retains
from trnkit.rules.reading.template_value import TemplateValue, attribute_of, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

_WITH_KEY = ("AWS::FSx::FileSystem", "AWS::EFS::FileSystem", "AWS::EC2::Volume")
_BUCKET, _KEY = "AWS::S3::Bucket", "AWS::KMS::Key"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource in stack_set.resources(*_WITH_KEY, _BUCKET):
        if not retains(resource):
            continue
        for value in _keys(resource):
            alias = value.referred("AWS::KMS::Alias")
            named = properties_of(alias)["TargetKeyId"] if alias else value
            key = named.referred(_KEY)
            if key is not None and retains(key) is False:
                yield _violation(resource, key, value)


def _keys(resource: Resource) -> Iterator[TemplateValue]:
    properties = properties_of(resource)
    if resource.type != _BUCKET:
        yield properties["KmsKeyId"]
        return
    rules = properties["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    for rule in rules.entries() or ():
        yield rule["ServerSideEncryptionByDefault"]["KMSMasterKeyID"]


def _violation(resource: Resource, key: Resource, value: TemplateValue) -> Violation:
    """A written `Delete` is somebody's will, and a key of another stack has its own life."""
    written = not attribute_of(key, "DeletionPolicy").is_absent
    apart = key.template is not resource.template
    return Violation(
        message=f"{resource.logical_id}: is retained, but its key {key.logical_id} is deleted with "
        "its stack, and nobody can read the data any more",
        hint=f"set DeletionPolicy of {key.logical_id} to RetainExceptOnCreate and "
        "UpdateReplacePolicy to Retain",
        resource=resource,
        path=value.path,
        severity=Severity.WARNING if written or apart else None,
        evidence="CloudFormation schedules the deletion of a key that it does not retain",
    )


_HEAD = """\
Resources:
  Fsx:
    Type: AWS::FSx::FileSystem
    DeletionPolicy: RetainExceptOnCreate
    UpdateReplacePolicy: Retain
    Properties:
      FileSystemType: LUSTRE
      FileSystemTypeVersion: "2.15"
      StorageCapacity: 1200
      SubnetIds: [subnet-1]
      KmsKeyId: {Fn::GetAtt: [Key, Arn]}
      LustreConfiguration: {DeploymentType: PERSISTENT_2, PerUnitStorageThroughput: 125}
  Key:
    Type: AWS::KMS::Key
"""
_KEPT = """\
    DeletionPolicy: RetainExceptOnCreate
    UpdateReplacePolicy: Retain
"""

RULE = TemplateRule(
    id="TRN389",
    title="the key of retained data is retained too",
    severity=Severity.ERROR,
    why="When a stack goes, its keys are scheduled for deletion. Data that was kept on purpose is "
    "then unreadable after 7 to 30 days, for ever.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-kms-key.html",
    good=_HEAD + _KEPT,
    bad=_HEAD,
    check=_check,
)
