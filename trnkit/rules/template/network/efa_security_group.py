"""TRN151: a security group of every EFA interface has self rules both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.self_rules import missing_self_rules
from trnkit.rules.reading.fleets import launch_templates
from trnkit.rules.reading.security_groups import known_groups
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    verdicts: dict[tuple[str, ...], str | None] = {}
    for template in launch_templates(stack_set):
        told: set[str] = set()
        for interface in template.interfaces or ():
            groups = known_groups(interface.value["Groups"].entries()) if interface.is_efa else None
            if not groups:
                continue
            key = tuple(f"{id(group)}" for group in groups)
            if key not in verdicts:
                verdicts[key] = missing_self_rules(groups, stack_set)
            missing = verdicts[key]
            if missing is not None and missing not in told:
                told.add(missing)
                yield Violation(
                    message=f"{template.resource.logical_id}: the EFA interface on "
                    f"{interface.place} has no security group that admits all traffic "
                    f"from and to itself; {missing}",
                    hint="add AWS::EC2::SecurityGroupIngress and SecurityGroupEgress of protocol "
                    "-1 that name the group itself",
                    resource=template.resource,
                    path=(*interface.value.path, "Groups"),
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
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        NetworkInterfaces:
          - {DeviceIndex: 0, InterfaceType: efa, Groups: [{Fn::GetAtt: [Group, GroupId]}]}
  Out:
    Type: AWS::EC2::SecurityGroupEgress
    Properties:
      GroupId: {Fn::GetAtt: [Group, GroupId]}
      IpProtocol: "-1"
"""

RULE = TemplateRule(
    id="TRN151",
    title="EFA interfaces have a security group with self rules both ways",
    severity=Severity.ERROR,
    why="EFA traffic passes only by rules from the group to itself. Without one of the two, nodes "
    "start and collectives hang. The CDK drops the egress rule when all outbound is allowed.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html",
    good=_HEAD + "      DestinationSecurityGroupId: {Fn::GetAtt: [Group, GroupId]}\n",
    bad=_HEAD + "      CidrIp: 0.0.0.0/0\n",
    check=_check,
    judges_absence=True,
)
