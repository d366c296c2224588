"""TRN592: security groups of HyperPod instances with EFA have self rules both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.self_rules import missing_self_rules
from trnkit.rules.reading.hyperpod_groups import hyperpod_groups
from trnkit.rules.reading.security_groups import known_groups
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config.yaml_reader import Path
    from trnkit.rules.reading.hyperpod_groups import HyperPodGroup
    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    told: set[tuple[Resource, Path]] = set()
    for group in hyperpod_groups(stack_set):
        known, named = group.instance_type, group.network["SecurityGroupIds"]
        groups = known_groups(named.entries())
        place = (group.cluster, named.path)
        if known is None or not known.maximum_efa_interfaces or not groups or place in told:
            continue
        told.add(place)
        missing = missing_self_rules(groups, stack_set)
        if missing is not None:
            text = f"no security group that admits all traffic from and to itself; {missing}"
            yield _violation(group, text, Severity.ERROR)
            continue
        lacking = [found for one in groups if (found := missing_self_rules((one,), stack_set))]
        if lacking:
            text = f"a security group beside the right one of which {lacking[0]}"
            yield _violation(group, text, Severity.WARNING)


def _violation(group: HyperPodGroup, text: str, severity: Severity) -> Violation:
    return Violation(
        message=f"{group.cluster.logical_id}: {group.name} has {text}",
        hint="add AWS::EC2::SecurityGroupIngress and SecurityGroupEgress of protocol -1 that name "
        "the group itself",
        resource=group.cluster,
        path=group.network["SecurityGroupIds"].path,
        severity=severity,
        evidence="rules over address blocks, 0.0.0.0/0 too, do not count for EFA",
    )


_HEAD = """\
Resources:
  Group: {Type: AWS::EC2::SecurityGroup, Properties: {GroupDescription: efa, VpcId: vpc-1}}
  In:
    Type: AWS::EC2::SecurityGroupIngress
    Properties:
      GroupId: {Fn::GetAtt: [Group, GroupId]}
      IpProtocol: "-1"
      SourceSecurityGroupId: {Fn::GetAtt: [Group, GroupId]}
  Cluster:
    Type: AWS::SageMaker::Cluster
    Properties:
      VpcConfig: {Subnets: [subnet-1], SecurityGroupIds: [{Fn::GetAtt: [Group, GroupId]}]}
      InstanceGroups:
        - InstanceGroupName: train
          InstanceType: ml.trn1.32xlarge
          InstanceCount: 2
          ExecutionRole: arn:aws:iam::111122223333:role/nodes
          LifeCycleConfig: {SourceS3Uri: "s3://sagemaker-example", OnCreate: on_create.sh}
  Out:
    Type: AWS::EC2::SecurityGroupEgress
    Properties:
      GroupId: {Fn::GetAtt: [Group, GroupId]}
      IpProtocol: "-1"
"""

RULE = TemplateRule(
    id="TRN592",
    title="security groups of HyperPod instances with EFA have self rules both ways",
    severity=Severity.ERROR,
    why="HyperPod tests EFA before anything else runs on a node, and gives the cluster up when it "
    "does not pass.",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites.html",
    good=_HEAD + "      DestinationSecurityGroupId: {Fn::GetAtt: [Group, GroupId]}\n",
    bad=_HEAD + "      CidrIp: 0.0.0.0/0\n",
    check=_check,
    judges_absence=True,
)
