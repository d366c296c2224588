"""TRN169: a security group has no more rules than it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import network_limits
from trnkit.findings import Severity
from trnkit.rules.reading.group_rule_identity import rules_by_group
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trnkit.rules.reading.security_groups import GroupRule
    from trnkit.rules.stack_set import StackSet

_PREFIX_LISTS = ("SourcePrefixListId", "DestinationPrefixListId")
_OTHER_FAMILY = {"IPv4": "CidrIpv6", "IPv6": "CidrIp"}
_FAMILY_OF_LIST = {"IPv4": "IPv6", "IPv6": "IPv4"}


def _check(stack_set: StackSet) -> Iterator[Violation]:
    limits = network_limits()
    most = limits.rules_per_security_group
    for (group, direction), rules in stack_set.derive(rules_by_group).items():
        # Of rules under a condition that nobody has chosen there may be fewer.
        certain = [rule for rule in rules if rule.value.resource.is_made]
        found = {family: _number(certain, family) for family in _OTHER_FAMILY}
        family = max(found, key=lambda name: found[name])
        if isinstance(group, str) or found[family] <= most:
            continue
        yield Violation(
            message=f"{group.logical_id}: has {found[family]} {direction.lower()} rules over "
            f"{family}; an account's groups hold {most} unless the quota was raised",
            hint="use prefix lists with few entries, groups as sources, or a second group",
            resource=group,
            path=("Properties", f"SecurityGroup{direction}"),
            evidence=f"catalogue, rules of a security group ({limits.date}); groups and prefix "
            "lists count for IPv4 and IPv6",
        )


def _number(rules: Iterable[GroupRule], family: str) -> int:
    """How many rules of a family there are at least; a prefix list counts as its entries."""
    return sum(_entries(r, family) for r in rules if r.value[_OTHER_FAMILY[family]].is_absent)


def _entries(rule: GroupRule, family: str) -> int:
    for key in _PREFIX_LISTS:
        found = rule.value[key].referred("AWS::EC2::PrefixList")
        if found is not None:
            listed = properties_of(found)
            if listed["AddressFamily"].text() == _FAMILY_OF_LIST[family]:
                return 0
            return listed["MaxEntries"].integer() or 1
    return 1


_GROUP = """\
Resources:
  List:
    Type: AWS::EC2::PrefixList
    Properties: {PrefixListName: offices, AddressFamily: IPv4, MaxEntries: %d}
  Group:
    Type: AWS::EC2::SecurityGroup
    Properties:
      GroupDescription: nodes
      VpcId: vpc-1
      SecurityGroupIngress:
        - IpProtocol: tcp
          FromPort: 443
          ToPort: 443
          SourcePrefixListId: {Fn::GetAtt: [List, PrefixListId]}
"""

RULE = TemplateRule(
    id="TRN169",
    title="a security group has no more rules than it holds",
    severity=Severity.WARNING,
    why="EC2 refuses the next one with RulesPerSecurityGroupLimitExceeded; a prefix list counts as "
    "many times as it may have entries.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html",
    good=_GROUP % 60,
    bad=_GROUP % 100,
    check=_check,
)
