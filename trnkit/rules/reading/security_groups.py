"""Security groups as rules see them: inline rules and separate rule resources together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from trnkit.rules.reading.creation_order import named_by_others
from trnkit.rules.reading.template_value import TemplateValue, properties_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from trnkit.rules.stack_set import Resource, StackSet

Direction = Literal["Ingress", "Egress"]
SECURITY_GROUP = "AWS::EC2::SecurityGroup"
_PEER = {"Ingress": "SourceSecurityGroupId", "Egress": "DestinationSecurityGroupId"}
_RANGES = ("CidrIp", "CidrIpv6", "SourcePrefixListId", "DestinationPrefixListId")
_NAMES = ("SourceSecurityGroupName",)


@dataclass(frozen=True, slots=True)
class GroupRule:
    """One rule of a security group.

    Attributes:
        value: The rule.
        direction: Of the traffic it admits.
        is_separate: Whether it is a resource of its own.
    """

    value: TemplateValue
    direction: Direction
    is_separate: bool

    @property
    def is_all_traffic(self) -> bool | None:
        """Whether it is for every protocol; None when not known."""
        protocol = self.value["IpProtocol"].text()
        return None if protocol is None else protocol in ("-1", "all")

    def peers_with(self, groups: Collection[Resource]) -> bool | None:
        """Whether its other end is one of the groups; None when not known."""
        peer = self.value[_PEER[self.direction]]
        if peer.is_absent:
            return None if any(not self.value[name].is_absent for name in _NAMES) else False
        if peer.is_unknown:
            return None
        return peer.referred(SECURITY_GROUP) in groups

    @property
    def is_by_address(self) -> bool:
        """Whether its other end is a block of addresses."""
        return any(not self.value[name].is_absent for name in _RANGES)

    @property
    def is_by_ipv4(self) -> bool:
        """Whether its other end is, or may be, a block of IPv4 addresses or a prefix list."""
        return self.is_by_address and self.value["CidrIpv6"].text() is None

    def admits(self, port: int) -> bool:
        """Whether TCP to the port may pass; true also when the rule's ports are not known."""
        protocol = self.value["IpProtocol"].text()
        if protocol not in (None, "-1", "all", "tcp", "6"):
            return False
        first, last = self.value["FromPort"], self.value["ToPort"]
        if protocol in ("-1", "all") or first.integer() is None or last.integer() is None:
            return True
        return (first.integer() or 0) <= port <= (last.integer() or 0)


@dataclass(frozen=True, slots=True)
class GroupRules:
    """The rules of a security group in one direction.

    Attributes:
        rules: Those that are known.
        is_complete: Whether there are certainly no others in the templates.
        is_open: Whether EC2's own rule admits all egress, because the group states none inline.
    """

    rules: tuple[GroupRule, ...]
    is_complete: bool
    is_open: bool


def rules_of(group: Resource, direction: Direction, stack_set: StackSet) -> GroupRules:
    """Collect the rules of a group of the set."""
    inline = properties_of(group)[f"SecurityGroup{direction}"]
    entries = inline.entries()
    found = [GroupRule(entry, direction, False) for entry in entries or ()]
    is_complete = entries is not None and not any(entry.is_unknown for entry in entries)
    separate = stack_set.derive(_SEPARATE_RULES[direction])
    found += [GroupRule(rule, direction, True) for rule in separate.get(group, ())]
    is_complete = is_complete and None not in separate
    is_complete = is_complete and group not in stack_set.derive(named_by_others)
    return GroupRules(tuple(found), is_complete, direction == "Egress" and inline.is_absent)


def _separate_rules(
    direction: Direction, stack_set: StackSet
) -> dict[Resource | None, list[TemplateValue]]:
    """The rules that are resources, by group; those of a group not known stand at None."""
    found: dict[Resource | None, list[TemplateValue]] = {}
    for resource in stack_set.resources(f"AWS::EC2::SecurityGroup{direction}"):
        rule = properties_of(resource)
        owner = rule["GroupId"]
        group = owner.referred(SECURITY_GROUP)
        if group is not None or owner.is_unknown or owner.is_absent:
            found.setdefault(group, []).append(rule)
    return found


_SEPARATE_RULES = {
    "Ingress": partial(_separate_rules, "Ingress"),
    "Egress": partial(_separate_rules, "Egress"),
}


def known_groups(values: tuple[TemplateValue, ...] | None) -> tuple[Resource, ...] | None:
    """The security groups listed; None when any of them is not a resource of the set."""
    groups = [value.referred(SECURITY_GROUP) for value in values or ()]
    known = tuple(group for group in groups if group is not None)
    return known if values and len(known) == len(groups) else None
