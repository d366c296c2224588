"""TRN550: the launch template of a managed node group leaves out what EKS sets itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.eks_groups import managed_groups
from trnkit.rules.reading.machine_images import is_certainly_named
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

_NOT_THERE = {
    "IamInstanceProfile": "give the role to the node group as NodeRole",
    "InstanceInitiatedShutdownBehavior": "leave it out; EKS ends the life of nodes",
    "HibernationOptions": "leave it out; EKS ends the life of nodes",
    "InstanceRequirements": "name the types in the node group's InstanceTypes",
}
_NOT_DOCUMENTED = ("InstanceRequirements",)
"""EKS has no use for them, and its documentation does not list them as refused."""


def _check(stack_set: StackSet) -> Iterator[Violation]:
    told: set[Resource] = set()
    for group in managed_groups(stack_set):
        template = group.template
        if template is None or template.resource in told:
            continue
        told.add(template.resource)
        for value, hint in _prohibited(template):
            name = ".".join(str(part) for part in value.path[2:] if not isinstance(part, int))
            is_refused = value.path[-1] not in _NOT_DOCUMENTED
            yield Violation(
                message=f"{template.resource.logical_id}: has {name}, which EKS "
                f"{'refuses' if is_refused else 'does not support'} in the launch template of a "
                f"managed node group ({group.resource.logical_id})",
                hint=hint,
                resource=template.resource,
                path=value.path,
                severity=None if is_refused else Severity.WARNING,
            )


def _prohibited(template: LaunchTemplate) -> Iterator[tuple[TemplateValue, str]]:
    for key, hint in _NOT_THERE.items():
        value = template.data[key]
        is_off = value.mapping() == {} or value["Configured"].boolean() is False
        if is_certainly_named(value) and not is_off:
            yield value, hint
    for interface in template.interfaces or ():
        subnet = interface.value["SubnetId"]
        if is_certainly_named(subnet):
            yield subnet, "name the subnets in the node group's Subnets"
            return


_HEAD = """\
Resources:
  Group:
    Type: AWS::EKS::Nodegroup
    Properties:
      ClusterName: training
      NodeRole: arn:aws:iam::111122223333:role/nodes
      Subnets: [subnet-1]
      AmiType: AL2023_x86_64_NEURON
      LaunchTemplate: {Id: {Ref: Nodes}, Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}}
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.3xlarge
"""

RULE = TemplateRule(
    id="TRN550",
    title="the launch template of a managed node group leaves out what EKS sets itself",
    severity=Severity.ERROR,
    why="A template that was written for an Auto Scaling group names subnets and an instance "
    "profile. EKS refuses the node group, minutes after the cluster was made.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html",
    good=_HEAD,
    bad=_HEAD + "        IamInstanceProfile: {Name: nodes}\n",
    check=_check,
)
