"""TRN556: nodes with Amazon Linux 2023 are not started by bootstrap.sh."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.eks_groups import BOOTSTRAP, eks_groups
from trnkit.rules.reading.node_config import shell_lines
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

_ASKS = re.compile(
    rf"-[efx]\s+[\"']?{BOOTSTRAP}|(command -v|which|ls|cat|tee|>)\s*\S{{0,80}}{BOOTSTRAP}"
)
"""A script for several systems looks first; another one writes the file itself."""


def _check(stack_set: StackSet) -> Iterator[Violation]:
    told: set[Resource] = set()
    for group in eks_groups(stack_set):
        if group.os != "amazon-linux-2023" or group.template is None or group.user_data is None:
            continue
        template = group.template.resource
        lines = "\n".join(shell_lines(group.text or ""))
        if BOOTSTRAP not in lines or _ASKS.search(lines) or template in told:
            continue
        told.add(template)
        yield Violation(
            message=f"{template.logical_id}: user data calls {BOOTSTRAP}, which does not work "
            f"with Amazon Linux 2023, the system of {group.nodes}",
            hint="write its settings as NodeConfig in a part of type application/node.eks.aws",
            resource=template,
            path=group.user_data.path,
        )


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
            MIME-Version: 1.0
            Content-Type: multipart/mixed; boundary="//"

            --//
"""
_GOOD = """\
            Content-Type: application/node.eks.aws

            apiVersion: node.eks.aws/v1alpha1
            kind: NodeConfig
            spec: {kubelet: {config: {maxPods: 40}}}

            --//--
"""
_BAD = """\
            Content-Type: text/x-shellscript

            #!/bin/bash
            /etc/eks/bootstrap.sh training --kubelet-extra-args '--max-pods=40'

            --//--
"""

RULE = TemplateRule(
    id="TRN556",
    title="nodes with Amazon Linux 2023 are not started by bootstrap.sh",
    severity=Severity.ERROR,
    why="The script belongs to Amazon Linux 2. On Amazon Linux 2023 nodeadm reads a NodeConfig; "
    "the settings are lost, and a node from an image of its own never joins.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/al2023.html",
    good=_HEAD + _GOOD,
    bad=_HEAD + _BAD,
    check=_check,
)
