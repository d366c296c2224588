"""TRN572: the compute environments of a job queue go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import batch_facts
from trnkit.findings import Severity
from trnkit.rules.reading.batch_jobs import COMPUTE_ENVIRONMENT
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    facts = batch_facts()
    most = facts.maximum_environments_per_queue
    for queue in stack_set.resources("AWS::Batch::JobQueue"):
        order = properties_of(queue)["ComputeEnvironmentOrder"]
        entries = order.entries() or ()
        certain = [entry for entry in entries if not entry.is_unknown]
        if len(certain) > most:
            yield Violation(
                message=f"{queue.logical_id}: has {len(certain)} compute environments; a job queue "
                f"has at most {most}",
                hint="split the queue, or merge environments",
                resource=queue,
                path=order.path,
                evidence=f"catalogue, AWS Batch ({facts.date})",
            )
        named = [e["ComputeEnvironment"].referred(COMPUTE_ENVIRONMENT) for e in entries]
        kinds = {kind: found for found in named if found and (kind := _kind(found))}
        if len(kinds) > 1:
            yield Violation(
                message=f"{queue.logical_id}: has {kinds['EC2'].logical_id} of EC2 beside "
                f"{kinds['Fargate'].logical_id} of Fargate; AWS Batch does not mix them",
                hint="give Fargate a job queue of its own",
                resource=queue,
                path=order.path,
            )


def _kind(environment: Resource) -> str | None:
    kind = (properties_of(environment)["ComputeResources"]["Type"].text() or "").upper()
    if kind in ("EC2", "SPOT"):
        return "EC2"
    return "Fargate" if kind.startswith("FARGATE") else None


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      Type: MANAGED
      ComputeResources:
        Type: EC2
        MaxvCpus: 192
        InstanceRole: arn:aws:iam::111122223333:instance-profile/ecsInstanceRole
        InstanceTypes: [trn2.3xlarge]
        Subnets: [subnet-1]
        SecurityGroupIds: [sg-1]
  Preparing:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      Type: MANAGED
      ComputeResources: {Type: FARGATE, MaxvCpus: 16, Subnets: [subnet-1], SecurityGroupIds: [sg-1]}
  Queue:
    Type: AWS::Batch::JobQueue
    Properties:
      Priority: 1
      ComputeEnvironmentOrder:
        - {Order: 1, ComputeEnvironment: {Ref: Nodes}}
"""

RULE = TemplateRule(
    id="TRN572",
    title="the compute environments of a job queue go together",
    severity=Severity.ERROR,
    why="AWS Batch refuses a queue over EC2 and Fargate, and one over too many environments.",
    source="https://docs.aws.amazon.com/batch/latest/APIReference/API_CreateJobQueue.html",
    good=_HEAD,
    bad=_HEAD + "        - {Order: 2, ComputeEnvironment: {Ref: Preparing}}\n",
    check=_check,
)
