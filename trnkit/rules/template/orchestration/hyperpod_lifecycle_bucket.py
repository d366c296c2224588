"""TRN593: HyperPod nodes may read the bucket of their lifecycle scripts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.catalog import hyperpod_facts
from trnkit.findings import Severity
from trnkit.rules.reading.hyperpod_groups import hyperpod_groups
from trnkit.rules.reading.role_policies import ROLE, may_do
from trnkit.rules.reading.template_value import as_list, as_mapping, function_of, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_S3 = "s3://"
_BUCKET = "AWS::S3::Bucket"
_OF_A_BUCKET = re.compile(r"s3://\$\{(\w+)\}")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    facts = hyperpod_facts()
    for group in hyperpod_groups(stack_set):
        source = group.value["LifeCycleConfig"]["SourceS3Uri"]
        name = _beginning_of_bucket(source)
        if name is None or name.startswith(facts.bucket_prefix[: len(name)]):
            continue
        role = group.value["ExecutionRole"].referred(ROLE)
        if role is not None:
            own = (facts.instance_role_policy,)
            if may_do(role, "s3:GetObject", own, stack_set) is not False:
                continue
            whose = f"which its role {role.logical_id} may not read"
        else:
            whose = f"which {facts.instance_role_policy} alone does not let it read"
        yield Violation(
            message=f"{group.cluster.logical_id}: {group.name} has its lifecycle scripts in the "
            f"bucket {name}, {whose}",
            hint=f"call the bucket {facts.bucket_prefix}..., or allow the role s3:GetObject and "
            "s3:ListBucket on it",
            resource=group.cluster,
            path=source.path,
            # A role that is not here may have other policies.
            severity=Severity.WARNING if role is not None else Severity.INFO,
            evidence=f"catalogue, SageMaker HyperPod ({facts.date})",
        )


def _beginning_of_bucket(source: TemplateValue) -> str | None:
    """The bucket's name, or what it begins with; None when that is not known."""
    text = source.text() or source.head() or ""
    name = text.removeprefix(_S3).partition("/")[0]
    if text.startswith(_S3) and name:
        return name
    logical_id = _named_bucket(source)
    bucket = source.resource.template.resources.get(logical_id)
    if bucket is None or bucket.type != _BUCKET:
        return None
    return properties_of(bucket)["BucketName"].head()


def _named_bucket(source: TemplateValue) -> str:
    """The logical id right after `s3://`."""
    function, arguments = function_of(source.raw)
    if function == "Fn::Sub" and arguments and isinstance(arguments[0], str):
        found = _OF_A_BUCKET.match(arguments[0])
        return found[1] if found else ""
    pieces = as_list(arguments[-1]) if function == "Fn::Join" and arguments else None
    if pieces and len(pieces) > 1 and pieces[0] == _S3:
        return str((as_mapping(pieces[1]) or {}).get("Ref", ""))
    return ""


_HEAD = """\
Resources:
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Version: "2012-10-17"
        Statement:
          - {Effect: Allow, Principal: {Service: sagemaker.amazonaws.com}, Action: sts:AssumeRole}
      ManagedPolicyArns: [arn:aws:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy]
  Cluster:
    Type: AWS::SageMaker::Cluster
    Properties:
      InstanceGroups:
        - InstanceGroupName: train
          InstanceType: ml.trn1.32xlarge
          InstanceCount: 2
          ExecutionRole: {Fn::GetAtt: [Role, Arn]}
          LifeCycleConfig: {SourceS3Uri: "s3://%s/scripts", OnCreate: on_create.sh}
"""

RULE = TemplateRule(
    id="TRN593",
    title="HyperPod nodes may read the bucket of their lifecycle scripts",
    severity=Severity.WARNING,
    why="The managed policy of HyperPod nodes is about buckets called sagemaker-... only; with "
    "another the cluster fails when its first script is fetched.",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterLifeCycleConfig.html",
    good=_HEAD % "sagemaker-lifecycle",
    bad=_HEAD % "example-lifecycle",
    check=_check,
)
