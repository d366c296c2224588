"""TRN552: a managed node group with an image of its own names no version and no AMI type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.eks_groups import managed_groups
from trnkit.rules.reading.machine_images import branches, image_parameter, is_certainly_named
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.eks_groups import EksGroup
    from trnkit.rules.stack_set import StackSet

_CUSTOM = "CUSTOM"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for group in managed_groups(stack_set):
        if group.has_own_image:
            yield from _with_image(group)
        elif group.has_own_image is False and group.properties["AmiType"].text() == _CUSTOM:
            yield Violation(
                message=f"{group.resource.logical_id}: has AmiType CUSTOM, and no launch template "
                "names an image",
                hint="write ImageId into the launch template, or AmiType AL2023_x86_64_NEURON",
                resource=group.resource,
                path=group.properties["AmiType"].path,
            )


def _with_image(group: EksGroup) -> Iterator[Violation]:
    assert group.template is not None  # Without a template of the set no image is known.
    template = group.template.resource.logical_id
    for key in ("AmiType", "Version", "ReleaseVersion"):
        value = group.properties[key]
        custom = key == "AmiType" and value.text() in (None, _CUSTOM)
        if is_certainly_named(value) and not custom:
            yield Violation(
                message=f"{group.resource.logical_id}: has {key}, and its launch template "
                f"{template} names the image; EKS refuses both",
                hint=f"remove {key}, or ImageId from {template}",
                resource=group.resource,
                path=value.path,
            )
    for image in branches(group.template.data["ImageId"]):
        parameter = image_parameter(image)
        if parameter is None or parameter.resolved_at != "launch":
            continue
        yield Violation(
            message=f"{template}: ImageId is resolve:ssm:{parameter.shown}, which EKS does not "
            f"resolve for a managed node group ({group.resource.logical_id})",
            hint="write the id of the image",
            resource=group.template.resource,
            path=image.path,
            # The documentation neither allows nor forbids it.
            severity=Severity.WARNING,
            evidence="users report it: the role of EKS for node groups may not read parameters",
        )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData: {InstanceType: trn2.3xlarge, ImageId: ami-0123456789abcdef0}
  Group:
    Type: AWS::EKS::Nodegroup
    Properties:
      ClusterName: training
      NodeRole: arn:aws:iam::111122223333:role/nodes
      Subnets: [subnet-1]
      LaunchTemplate: {Id: {Ref: Nodes}, Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}}
"""

RULE = TemplateRule(
    id="TRN552",
    title="a managed node group with an image of its own names no version and no AMI type",
    severity=Severity.ERROR,
    why="With ImageId in the launch template the image says which Kubernetes it is for. EKS "
    "refuses a version or AMI type beside it.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html",
    good=_HEAD,
    bad=_HEAD + '      Version: "1.33"\n',
    check=_check,
)
