"""TRN578: the vCPUs of a compute environment fit each other, and a node fits into them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.findings import Severity
from trnkit.rules.judging.wording import from_catalogue
from trnkit.rules.reading.batch_jobs import COMPUTE_ENVIRONMENT
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_LEAST, _WANTED, _MOST = "MinvCpus", "DesiredvCpus", "MaxvCpus"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for environment in stack_set.resources(COMPUTE_ENVIRONMENT):
        computing = properties_of(environment)["ComputeResources"]
        for smaller, larger in ((_LEAST, _MOST), (_WANTED, _MOST), (_LEAST, _WANTED)):
            low, high = computing[smaller].integer(), computing[larger].integer()
            if low is not None and high is not None and low > high:
                yield Violation(
                    message=f"{environment.logical_id}: {smaller} is {low}, and {larger} {high}",
                    hint=f"write {_LEAST}, {_WANTED} and {_MOST} in rising order",
                    resource=environment,
                    path=computing[smaller].path,
                )
        yield from _no_node_fits(computing)


def _no_node_fits(computing: TemplateValue) -> Iterator[Violation]:
    most = computing[_MOST].integer()
    types = computing["InstanceTypes"].entries() or ()
    found = [find_instance_type(value.text() or "") for value in types]
    known = [kind for kind in found if kind is not None and kind.vcpus is not None]
    # None at all is a way to switch the environment off.
    if not most or not known or len(known) < len(found):
        return
    smallest = min(known, key=lambda kind: kind.vcpus or 0)
    if most < (smallest.vcpus or 0):
        yield Violation(
            message=f"{computing.resource.logical_id}: {_MOST} is {most}, and a {smallest.name} "
            f"has {smallest.vcpus} vCPUs, so jobs may wait for a node for ever",
            hint=f"write a multiple of {smallest.vcpus}",
            resource=computing.resource,
            path=computing[_MOST].path,
            evidence=from_catalogue(smallest, f"{smallest.vcpus} vCPUs"),
            # Some allocation strategies go beyond by one instance.
            severity=Severity.WARNING,
        )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      Type: MANAGED
      ComputeResources:
        Type: EC2
        InstanceRole: arn:aws:iam::111122223333:instance-profile/ecsInstanceRole
        InstanceTypes: [trn2.48xlarge]
        Subnets: [subnet-1]
        SecurityGroupIds: [sg-1]
        MaxvCpus: 384
        MinvCpus: """

RULE = TemplateRule(
    id="TRN578",
    title="the vCPUs of a compute environment fit each other, and a node fits into them",
    severity=Severity.ERROR,
    why="AWS Batch refuses sizes that contradict each other; jobs for which no node fits wait.",
    source="https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeResource.html",
    good=_HEAD + "0\n",
    bad=_HEAD + "768\n",
    check=_check,
)
