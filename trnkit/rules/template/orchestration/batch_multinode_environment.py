"""TRN573: some compute environment runs the multi-node parallel jobs that are defined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import batch_facts
from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.batch_jobs import COMPUTE_ENVIRONMENT, JOB_DEFINITION
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    environments = list(stack_set.resources(COMPUTE_ENVIRONMENT))
    unfit = {env.logical_id: kind for env in environments if (kind := _unfit_kind(env))}
    if not environments or len(unfit) < len(environments):
        return
    for definition in stack_set.resources(JOB_DEFINITION):
        nodes = properties_of(definition)["NodeProperties"]
        if nodes.mapping() is not None:
            told = [f"{name} is {kind}" for name, kind in unfit.items()]
            yield Violation(
                message=f"{definition.logical_id}: is a multi-node parallel job, which no compute "
                f"environment here runs: {alternatives(told, 'and')}",
                hint="add a MANAGED environment of type EC2",
                resource=definition,
                path=nodes.path,
                evidence=f"catalogue, AWS Batch ({batch_facts().date})",
            )


def _unfit_kind(environment: Resource) -> str | None:
    """Its kind, when it certainly runs no such jobs."""
    properties = properties_of(environment)
    managed = (properties["Type"].text() or "").upper()
    kind = (properties["ComputeResources"]["Type"].text() or "").upper()
    if managed == "UNMANAGED":
        return managed
    return kind if kind in batch_facts().types_without_multinode else None


_HEAD = """\
Resources:
  Training:
    Type: AWS::Batch::JobDefinition
    Properties:
      Type: multinode
      NodeProperties:
        NumNodes: 4
        MainNode: 0
        NodeRangeProperties:
          - {TargetNodes: "0:", Container: {Image: example, Vcpus: 8, Memory: 1024}}
  Nodes:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      Type: MANAGED
      ComputeResources:
        MaxvCpus: 192
        InstanceRole: arn:aws:iam::111122223333:instance-profile/ecsInstanceRole
        InstanceTypes: [trn2.3xlarge]
        Subnets: [subnet-1]
        SecurityGroupIds: [sg-1]
        Type: """

RULE = TemplateRule(
    id="TRN573",
    title="some compute environment runs the multi-node parallel jobs that are defined",
    severity=Severity.WARNING,
    why="Multi-node parallel jobs run on managed environments of On-Demand instances only, on "
    "Amazon ECS or EKS: not on Spot, on Fargate, or on instances that ECS manages.",
    source="https://docs.aws.amazon.com/batch/latest/userguide/mnp-ce.html",
    good=_HEAD + "EC2\n",
    bad=_HEAD + "SPOT\n",
    check=_check,
)
