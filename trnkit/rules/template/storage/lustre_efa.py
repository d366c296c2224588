"""TRN364: an EFA-enabled file system has a metadata configuration and a group EFA can pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.lustre_efa import judge_efa_metadata
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.lustre_resources import LustreFileSystem, lustre_file_systems
from trnkit.rules.reading.security_groups import Direction, known_groups, rules_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

_WAYS: tuple[tuple[Direction, str], ...] = (("Ingress", "in from"), ("Egress", "out to"))


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
    missing = [_missing(group, stack_set) for group in dict.fromkeys(groups or ())]
    if missing and all(missing):
        text = f"has no group that admits all traffic from and to itself; {missing[0]}"
        hint = "add ingress and egress rules of protocol -1 that name the group itself"
        evidence = "rules over ports or address blocks do not count for EFA"
        yield at_value(value, Objection(text, hint, evidence))


def _missing(group: Resource, stack_set: StackSet) -> str | None:
    """What a group lacks, or None when it lacks nothing or that cannot be known."""
    ways = [way for direction, way in _WAYS if _lacks(group, direction, stack_set)]
    text = f"{group.logical_id} lacks the rule {' and the rule '.join(ways)} itself"
    return text if ways else None


def _lacks(group: Resource, direction: Direction, stack_set: StackSet) -> bool:
    found = rules_of(group, direction, stack_set)
    return found.is_complete and all(
        rule.is_all_traffic is False or rule.peers_with((group,)) is False for rule in found.rules
    )


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
