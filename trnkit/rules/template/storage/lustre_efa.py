"""TRN364: an EFA-enabled file system has a metadata configuration and a group EFA can pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.lustre_efa import judge_efa_metadata
from trnkit.rules.judging.objections import at_value
from trnkit.rules.judging.self_rules import missing_self_rules
from trnkit.rules.reading.lustre_resources import LustreFileSystem, lustre_file_systems
from trnkit.rules.reading.security_groups import known_groups
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in lustre_file_systems(stack_set):
        if found.configuration["EfaEnabled"].boolean() is not True:
            continue
        metadata = found.configuration["MetadataConfiguration"]
        given = not (metadata.is_absent and found.properties["BackupId"].is_absent)
        wrong = judge_efa_metadata(given=given)
        if wrong is not None:
            yield at_value(metadata, wrong, Severity.WARNING)
        yield from _groups(found, stack_set)


def _groups(found: LustreFileSystem, stack_set: StackSet) -> Iterator[Violation]:
    value = found.properties["SecurityGroupIds"]
    groups = known_groups(value.entries())
    missing = missing_self_rules(groups, stack_set) if groups else None
    if missing is not None:
        text = f"has no group that admits all traffic from and to itself; {missing}"
        hint = "add ingress and egress rules of protocol -1 that name the group itself"
        evidence = "rules over ports or address blocks do not count for EFA"
        yield at_value(value, Objection(text, hint, evidence))


_HEAD = """\
Resources:
  Group: {Type: AWS::EC2::SecurityGroup, Properties: {GroupDescription: fsx, VpcId: vpc-1}}
  In:
    Type: AWS::EC2::SecurityGroupIngress
    Properties: {GroupId: {Ref: Group}, IpProtocol: "-1", SourceSecurityGroupId: {Ref: Group}}
  Fsx:
    Type: AWS::FSx::FileSystem
    DependsOn: [In, Out]
    Properties:
      FileSystemType: LUSTRE
      FileSystemTypeVersion: "2.15"
      StorageCapacity: 4800
      SubnetIds: [subnet-1]
      SecurityGroupIds: [{Ref: Group}]
      LustreConfiguration:
        DeploymentType: PERSISTENT_2
        PerUnitStorageThroughput: 1000
        EfaEnabled: true
        MetadataConfiguration: {Mode: AUTOMATIC}
  Out:
    Type: AWS::EC2::SecurityGroupEgress
    Properties:
      GroupId: {Ref: Group}
      IpProtocol: "-1"
"""

RULE = TemplateRule(
    id="TRN364",
    title="an EFA-enabled file system meets its conditions",
    severity=Severity.ERROR,
    why="EFA traffic passes only by rules for all traffic that name the group itself; FSx refuses "
    "the file system without them, and none of this can be mended later.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html",
    good=_HEAD + "      DestinationSecurityGroupId: {Ref: Group}\n",
    bad=_HEAD + "      CidrIp: 0.0.0.0/0\n",
    check=_check,
    judges_absence=True,
)
