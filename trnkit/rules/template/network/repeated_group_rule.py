"""TRN168: a security group has each rule once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.coexistence import exist_together
from trnkit.rules.reading.group_rule_identity import identity_of, rules_by_group
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from trnkit.rules.reading.security_groups import GroupRule
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for (group, direction), rules in stack_set.derive(rules_by_group).items():
        seen: dict[Hashable, list[GroupRule]] = {}
        name = group if isinstance(group, str) else group.logical_id
        for rule in rules:
            identity = identity_of(rule)
            if identity is None:
                continue
            others = seen.setdefault(identity, [])
            here = rule.value.resource
            twin = next((o for o in others if exist_together(here, o.value.resource)), None)
            others.append(rule)
            if twin is None:
                continue
            there = twin.value.resource.logical_id
            where = "its own list" if twin.value.resource is here else there
            yield Violation(
                message=f"{here.logical_id}: {name} has the same {direction.lower()} rule in "
                f"{where}; EC2 takes each rule once, whatever its description",
                hint="keep one of the two",
                resource=here,
                path=rule.value.path,
            )


_HEAD = """\
Resources:
  Group:
    Type: AWS::EC2::SecurityGroup
    Properties:
      GroupDescription: nodes
      VpcId: vpc-1
      SecurityGroupIngress:
        - {IpProtocol: tcp, FromPort: 22, ToPort: 22, CidrIp: 10.0.0.0/16}
  Ssh:
    Type: AWS::EC2::SecurityGroupIngress
    Properties:
      GroupId: {Fn::GetAtt: [Group, GroupId]}
      IpProtocol: "6"
      FromPort: 22
      ToPort: 22
"""

RULE = TemplateRule(
    id="TRN168",
    title="a security group has each rule once",
    severity=Severity.ERROR,
    why="EC2 refuses the second one with InvalidPermission.Duplicate, and the stack is rolled "
    "back; descriptions do not tell rules apart.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AuthorizeSecurityGroupIngress.html",
    good=_HEAD + "      CidrIp: 10.1.0.0/16\n",
    bad=_HEAD + "      CidrIp: 10.0.0.0/16\n",
    check=_check,
)
