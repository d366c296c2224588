"""TRN554: user data that a service adds to is a MIME archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.eks_groups import NODE_GROUP, managed_groups
from trnkit.rules.reading.fleets import fleets
from trnkit.rules.reading.node_config import mime_fault
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.reading.user_data import user_data_text
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.fleets import Fleet
    from trnkit.rules.stack_set import Resource, StackSet

_AMAZON_LINUX = ("amazon-linux-2023", "amazon-linux-2")
_MERGES = {
    NODE_GROUP: "EKS",
    "AWS::Batch::ComputeEnvironment": "AWS Batch",
    "AWS::PCS::ComputeNodeGroup": "AWS PCS",
}


def _check(stack_set: StackSet) -> Iterator[Violation]:
    other_formats = _with_other_formats(stack_set)
    told: set[Resource] = set()
    for fleet in fleets(stack_set):
        service = _MERGES.get(fleet.resource.type)
        template = fleet.launch_template
        if service is None or fleet.resource in other_formats or template.resource in told:
            continue
        data = template.data["UserData"]
        fault = mime_fault(user_data_text(data) or "")
        if fault is None:
            continue
        told.add(template.resource)
        ends = fault.startswith("does not end")
        yield Violation(
            message=f"{template.resource.logical_id}: user data {fault}; {service} adds its own "
            f"part to it for {fleet.resource.logical_id} and needs a MIME archive",
            hint="write MIME-Version: 1.0, Content-Type: multipart/mixed with a boundary, and "
            "the script as a part of type text/x-shellscript",
            resource=template.resource,
            path=data.path,
            severity=Severity.WARNING if ends else None,
        )


def _with_other_formats(stack_set: StackSet) -> set[Resource]:
    """Those whose user data is not merged, or is in the form of another operating system."""
    found: set[Resource] = set()
    for group in managed_groups(stack_set):
        named = group.properties["AmiType"]
        other_os = group.os not in _AMAZON_LINUX if group.os else not named.is_absent
        if group.has_own_image is not False or other_os:
            found.add(group.resource)
    return found | {f.resource for f in fleets(stack_set) if _is_other_batch(f)}


def _is_other_batch(fleet: Fleet) -> bool:
    """Whether AWS Batch may start Bottlerocket, which takes TOML, or images of one's own."""
    if fleet.resource.type != "AWS::Batch::ComputeEnvironment":
        return False
    entries = properties_of(fleet.resource)["ComputeResources"]["Ec2Configuration"].entries()
    kinds = None if entries is None else [entry["ImageType"].text() for entry in entries]
    return kinds is None or any(kind is None or "BOTTLEROCKET" in kind for kind in kinds)


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
        UserData:
          Fn::Base64: |
"""
_ARCHIVE = """\
            MIME-Version: 1.0
            Content-Type: multipart/mixed; boundary="//"

            --//
            Content-Type: text/x-shellscript; charset="us-ascii"

            #!/bin/bash
            echo ready
            --//--
"""

RULE = TemplateRule(
    id="TRN554",
    title="user data that a service adds to is a MIME archive",
    severity=Severity.ERROR,
    why="EKS managed node groups, AWS Batch and AWS PCS put their own part beside yours. From a "
    "plain script they refuse the node group, or nodes never register.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html",
    good=_HEAD + _ARCHIVE,
    bad=_HEAD + "            #!/bin/bash\n            echo ready\n",
    check=_check,
)
