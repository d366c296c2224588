"""TRN564: nodes that join a cluster by themselves have an instance profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.eks_groups import eks_groups
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    told: set[Resource] = set()
    for group in eks_groups(stack_set):
        template = group.template
        if group.is_managed or group.fleet is None or template is None:
            continue
        profile = template.data["IamInstanceProfile"]
        if profile.is_absent and template.resource not in told:
            told.add(template.resource)
            yield Violation(
                message=f"{template.resource.logical_id}: names no instance profile, and the nodes "
                f"of {group.resource.logical_id} join a cluster with the rights of its role",
                hint="add IamInstanceProfile, with a role that has AmazonEKSWorkerNodePolicy",
                resource=template.resource,
                path=profile.path,
            )


_HEAD = """\
Resources:
  Group:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      MinSize: "0"
      MaxSize: "4"
      VPCZoneIdentifier: [subnet-1]
      LaunchTemplate:
        LaunchTemplateId: {Ref: Nodes}
        Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.3xlarge
        ImageId: ami-0123456789abcdef0
        UserData:
          Fn::Base64: |
            apiVersion: node.eks.aws/v1alpha1
            kind: NodeConfig
            spec:
              cluster:
                name: training
                apiServerEndpoint: https://example.com
                certificateAuthority: Y2VydGlmaWNhdGU=
                cidr: 10.100.0.0/16
"""

RULE = TemplateRule(
    id="TRN564",
    title="nodes that join a cluster by themselves have an instance profile",
    severity=Severity.ERROR,
    why="Kubelet and the CNI ask AWS with the node's role. Only to managed node groups does EKS "
    "add the profile; without one the node never joins.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html",
    good=_HEAD + "        IamInstanceProfile: {Name: nodes}\n",
    bad=_HEAD,
    check=_check,
)
