"""TRN551: type, disk and key of a managed node group are said in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.eks_groups import managed_groups
from trnkit.rules.reading.machine_images import is_certainly_named
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.eks_groups import EksGroup
    from trnkit.rules.stack_set import StackSet

_ELSEWHERE = {
    "DiskSize": "write the size into BlockDeviceMappings of the launch template",
    "RemoteAccess": "write KeyName and the security groups into the launch template",
}


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for group in managed_groups(stack_set):
        if not is_certainly_named(group.properties["LaunchTemplate"]):
            continue
        yield from _types(group)
        for key, hint in _ELSEWHERE.items():
            value = group.properties[key]
            if is_certainly_named(value):
                yield Violation(
                    message=f"{group.resource.logical_id}: has {key} and a launch template, which "
                    "EKS refuses together",
                    hint=hint,
                    resource=group.resource,
                    path=value.path,
                )


def _types(group: EksGroup) -> Iterator[Violation]:
    template = group.template
    if template is None:
        return
    inside, outside = template.data["InstanceType"], group.properties["InstanceTypes"]
    if is_certainly_named(inside) and is_certainly_named(outside) and outside.entries() != ():
        yield Violation(
            message=f"{group.resource.logical_id}: has InstanceTypes, and its launch template "
            f"{template.resource.logical_id} has InstanceType; EKS refuses both",
            hint="remove InstanceTypes from the node group",
            resource=group.resource,
            path=outside.path,
        )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {InstanceType: trn2.3xlarge}}
  Group:
    Type: AWS::EKS::Nodegroup
    Properties:
      ClusterName: training
      NodeRole: arn:aws:iam::111122223333:role/nodes
      Subnets: [subnet-1]
      AmiType: AL2023_x86_64_NEURON
      LaunchTemplate: {Id: {Ref: Nodes}, Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}}
"""

RULE = TemplateRule(
    id="TRN551",
    title="type, disk and key of a managed node group are said in one place",
    severity=Severity.ERROR,
    why="EKS refuses a node group that says the same as its launch template, or that says beside a "
    "launch template what belongs into it.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html",
    good=_HEAD,
    bad=_HEAD + "      InstanceTypes: [trn2.3xlarge]\n",
    check=_check,
)
