"""TRN594: an instance group of HyperPod can get the instances that it asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import hyperpod_facts
from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives, count
from trnkit.rules.reading.hyperpod_groups import ML, hyperpod_groups
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.hyperpod_groups import HyperPodGroup
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_REGION = 3
"""The part of an ARN that says it."""


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for group in hyperpod_groups(stack_set):
        least = group.value["MinInstanceCount"]
        needed, wanted = least.integer(), group.value["InstanceCount"].integer()
        if needed is not None and wanted is not None and needed > wanted:
            text = f"asks for {count(wanted, 'instance')} and is in service from {needed} on"
            yield _violation(group, least, text, "write at most InstanceCount")
        yield from _plan(group, group.value["TrainingPlanArn"])


def _plan(group: HyperPodGroup, plan: TemplateValue) -> Iterator[Violation]:
    facts, known = hyperpod_facts(), group.instance_type
    if not plan.is_absent and not plan.is_unknown and known is not None:
        name = f"{ML}{known.name}"
        if name not in facts.training_plan_types:
            yield _violation(
                group,
                plan,
                f"is of {name} and has a training plan; of Neuron types there are plans for "
                f"{alternatives(facts.training_plan_types)}",
                "remove TrainingPlanArn, or change the type",
                f"catalogue, SageMaker HyperPod ({facts.date})",
                # SageMaker sells plans for further types from time to time.
                Severity.WARNING,
            )
    home, parts = group.cluster.template.region, (plan.text() or plan.head() or "").split(":")
    # The last part may go on after what is known.
    if home and len(parts) > _REGION + 1 and parts[_REGION] not in ("", home):
        text = f"has a training plan of {parts[_REGION]}, and the cluster is for {home}"
        yield _violation(group, plan, text, f"name a plan of {home}")


def _violation(
    group: HyperPodGroup,
    value: TemplateValue,
    text: str,
    hint: str,
    evidence: str | None = None,
    severity: Severity | None = None,
) -> Violation:
    return Violation(
        message=f"{group.cluster.logical_id}: {group.name} {text}",
        hint=hint,
        resource=group.cluster,
        path=value.path,
        evidence=evidence,
        severity=severity,
    )


_HEAD = """\
Resources:
  Cluster:
    Type: AWS::SageMaker::Cluster
    Properties:
      InstanceGroups:
        - InstanceGroupName: train
          InstanceType: ml.trn1.32xlarge
          InstanceCount: 2
          ExecutionRole: arn:aws:iam::111122223333:role/nodes
          LifeCycleConfig: {SourceS3Uri: "s3://sagemaker-example", OnCreate: on_create.sh}
          MinInstanceCount: %d
"""

RULE = TemplateRule(
    id="TRN594",
    title="an instance group of HyperPod can get the instances that it asks for",
    severity=Severity.ERROR,
    why="A group that waits for more instances than it asks for rolls back after three hours; "
    "training plans are of a Region, and are not sold for every type.",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/reserve-capacity-with-training-plans.html",
    good=_HEAD % 2,
    bad=_HEAD % 3,
    check=_check,
)
