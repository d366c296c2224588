"""TRN354: Lustre's ports are open between the file system's own servers before it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import lustre_port_ranges
from trnkit.findings import Severity
from trnkit.rules.reading.creation_order import waits_for
from trnkit.rules.reading.lustre_resources import LustreFileSystem, lustre_file_systems
from trnkit.rules.reading.security_groups import (
    Direction,
    GroupRule,
    known_groups,
    rules_of,
)
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

_WAYS: tuple[tuple[Direction, str], ...] = (("Ingress", "from"), ("Egress", "to"))


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in lustre_file_systems(stack_set):
        groups = known_groups(found.properties["SecurityGroupIds"].entries())
        for direction, way in _WAYS if groups else ():
            yield from _judge(found, groups or (), direction, way, stack_set)


def _judge(
    found: LustreFileSystem,
    groups: tuple[Resource, ...],
    direction: Direction,
    way: str,
    stack_set: StackSet,
) -> Iterator[Violation]:
    sets = [rules_of(group, direction, stack_set) for group in dict.fromkeys(groups)]
    if any(known.is_open or not known.is_complete for known in sets):
        return
    rules = [rule for known in sets for rule in known.rules if _reaches(rule, groups)]
    closed = _closed(rules)
    names = " or ".join(group.logical_id for group in groups[:3])
    path = ("Properties", "SecurityGroupIds")
    if closed:
        yield Violation(
            message=f"{found.name}: its security group {names} does not admit TCP {closed} {way} "
            "itself",
            hint=f"add {direction.lower()} rules for TCP {_closed([])} that name the group itself",
            resource=found.resource,
            path=path,
            evidence="ports of FSx for Lustre, in the catalogue",
        )
        return
    early = [rule for rule in rules if not rule.is_separate]
    late = [
        rule.value.resource
        for rule in rules
        if rule.is_separate and not waits_for(found.resource, rule.value.resource, stack_set)
    ]
    early += [r for r in rules if r.is_separate and r.value.resource not in late]
    if late and _closed(early):
        yield Violation(
            message=f"{found.name}: may be made before {late[0].logical_id}, which opens Lustre's "
            "ports; it then fails or cannot be mounted",
            hint=f"add {late[0].logical_id} to DependsOn of {found.name}",
            resource=found.resource,
            path=path,
            severity=Severity.WARNING,
        )


def _reaches(rule: GroupRule, groups: tuple[Resource, ...]) -> bool:
    """Whether the rule may join the file system's servers; of IPv4 blocks that is assumed."""
    return rule.is_by_ipv4 or rule.peers_with(groups) is not False


def _closed(rules: list[GroupRule]) -> str:
    """The port ranges that no rule admits in full, as text."""
    closed = [
        (first, last)
        for first, last in lustre_port_ranges()
        if not all(any(rule.admits(port) for rule in rules) for port in range(first, last + 1))
    ]
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in closed]
    return " and ".join(texts)


_HEAD = """\
Resources:
  Group: {Type: AWS::EC2::SecurityGroup, Properties: {GroupDescription: fsx, VpcId: vpc-1}}
  Fsx:
    Type: AWS::FSx::FileSystem
    DependsOn: [Acceptor, Others]
    Properties:
      FileSystemType: LUSTRE
      StorageCapacity: 1200
      SubnetIds: [subnet-1]
      SecurityGroupIds: [{Ref: Group}]
      LustreConfiguration: {DeploymentType: SCRATCH_2}
  Acceptor:
    Type: AWS::EC2::SecurityGroupIngress
    Properties:
      GroupId: {Ref: Group}
      IpProtocol: tcp
      FromPort: 988
      ToPort: 988
      SourceSecurityGroupId: {Ref: Group}
  Others:
    Type: AWS::EC2::SecurityGroupIngress
    Properties:
      GroupId: {Ref: Group}
      IpProtocol: tcp
      FromPort: 1018
      SourceSecurityGroupId: {Ref: Group}
"""

RULE = TemplateRule(
    id="TRN354",
    title="Lustre's ports are open in its security group before it is made",
    severity=Severity.ERROR,
    why="FSx checks port 988 when it makes the file system, and mounts hang without 1018-1023. "
    "Rules that come later may not help.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html",
    good=_HEAD + "      ToPort: 1023\n",
    bad=_HEAD + "      ToPort: 1020\n",
    check=_check,
    judges_absence=True,
)
