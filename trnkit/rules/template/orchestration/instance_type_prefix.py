"""TRN590: instance types have `ml.` in front for SageMaker, and only there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.findings import Severity
from trnkit.rules.reading.batch_jobs import COMPUTE_ENVIRONMENT, JOB_DEFINITION
from trnkit.rules.reading.capacity_resources import RESERVATION
from trnkit.rules.reading.fleets import AUTO_SCALING_GROUP
from trnkit.rules.reading.hyperpod_groups import ML, hyperpod_groups
from trnkit.rules.reading.launch_settings import launch_settings
from trnkit.rules.reading.pcs_resources import PCS_NODE_GROUP
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for value in _of_ec2(stack_set):
        name = value.text() or ""
        if name.startswith(ML):
            short = name.removeprefix(ML)
            yield _violation(value, f"names {name}, which is SageMaker's name", f"write {short}")
    for group in hyperpod_groups(stack_set):
        value = group.value["InstanceType"]
        name = value.text() or ""
        if find_instance_type(name) is not None:
            text = f"{group.name} is of {name}, which is EC2's name"
            yield _violation(value, text, f"write {ML}{name}")


def _of_ec2(stack_set: StackSet) -> Iterator[TemplateValue]:
    """Every instance type that is named to EC2, or to a service that starts its instances."""
    for settings in launch_settings(stack_set):
        yield settings["InstanceType"]
    for resource in stack_set.resources(RESERVATION):
        yield properties_of(resource)["InstanceType"]
    for resource in stack_set.resources(AUTO_SCALING_GROUP):
        mixed = properties_of(resource)["MixedInstancesPolicy"]["LaunchTemplate"]
        for override in mixed["Overrides"].entries() or ():
            yield override["InstanceType"]
    for resource in stack_set.resources("AWS::EKS::Nodegroup"):
        yield from properties_of(resource)["InstanceTypes"].entries() or ()
    for resource in stack_set.resources(COMPUTE_ENVIRONMENT):
        computing = properties_of(resource)["ComputeResources"]
        yield from computing["InstanceTypes"].entries() or ()
    for resource in stack_set.resources(PCS_NODE_GROUP):
        for config in properties_of(resource)["InstanceConfigs"].entries() or ():
            yield config["InstanceType"]
    for resource in stack_set.resources(JOB_DEFINITION):
        nodes = properties_of(resource)["NodeProperties"]
        for part in nodes["NodeRangeProperties"].entries() or ():
            yield from part["InstanceTypes"].entries() or ()
            yield part["Container"]["InstanceType"]


def _violation(value: TemplateValue, text: str, hint: str) -> Violation:
    return Violation(
        message=f"{value.resource.logical_id}: {text}",
        hint=hint,
        resource=value.resource,
        path=value.path,
    )


_HEAD = """\
Resources:
  Group:
    Type: AWS::PCS::ComputeNodeGroup
    Properties:
      ClusterId: pcs_0123456789
      IamInstanceProfileArn: arn:aws:iam::111122223333:instance-profile/AWSPCS-nodes
      ScalingConfiguration: {MinInstanceCount: 0, MaxInstanceCount: 4}
      SubnetIds: [subnet-1]
      InstanceConfigs: [{InstanceType: %s}]
"""

RULE = TemplateRule(
    id="TRN590",
    title="instance types have ml. in front for SageMaker, and only there",
    severity=Severity.ERROR,
    why="SageMaker HyperPod knows ml.trn2.48xlarge and not trn2.48xlarge, EC2 the other way round.",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterInstanceGroupSpecification.html",
    good=_HEAD % "trn2.48xlarge",
    bad=_HEAD % "ml.trn2.48xlarge",
    check=_check,
)
