"""When two rules of a security group are the same to EC2."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from trnkit.rules.reading.security_groups import (
    SECURITY_GROUP,
    Direction,
    GroupRule,
    rules_of,
)
from trnkit.rules.reading.template_value import properties_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

_DIRECTIONS: tuple[Direction, ...] = ("Ingress", "Egress")
_PROTOCOLS = {"all": "-1", "tcp": "6", "udp": "17", "icmp": "1", "icmpv6": "58"}
_PEERS = {
    "CidrIp": "block",
    "CidrIpv6": "block",
    "SourcePrefixListId": "prefix list",
    "DestinationPrefixListId": "prefix list",
    "SourceSecurityGroupId": "group",
    "DestinationSecurityGroupId": "group",
}
_NAMED_PEERS = ("SourceSecurityGroupName", "SourceSecurityGroupOwnerId")


def rules_by_group(
    stack_set: StackSet,
) -> dict[tuple[Resource | str, Direction], list[GroupRule]]:
    """All rules of each group of the set, and those that are added to a group by its id."""
    found: dict[tuple[Resource | str, Direction], list[GroupRule]] = {}
    for direction in _DIRECTIONS:
        for group in stack_set.resources(SECURITY_GROUP):
            found[group, direction] = list(rules_of(group, direction, stack_set).rules)
        for resource in stack_set.resources(f"AWS::EC2::SecurityGroup{direction}"):
            rule = properties_of(resource)
            name = rule["GroupId"].text()
            if name is not None:
                found.setdefault((name, direction), []).append(GroupRule(rule, direction, True))
    return found


def identity_of(rule: GroupRule) -> Hashable | None:
    """What is equal for equal rules; None when a part of the rule is not known."""
    protocol, peer = rule.value["IpProtocol"].text(), _peer(rule.value)
    if protocol is None or peer is None:
        return None
    number = _PROTOCOLS.get(protocol.lower(), protocol)
    if number == "-1":
        return number, peer
    first, last = rule.value["FromPort"], rule.value["ToPort"]
    if any(port.integer() is None and not port.is_absent for port in (first, last)):
        return None
    return number, peer, first.integer(), last.integer()


def _peer(rule: TemplateValue) -> Hashable | None:
    if any(not rule[name].is_absent for name in _NAMED_PEERS):
        return None
    given = [(kind, rule[key]) for key, kind in _PEERS.items() if not rule[key].is_absent]
    if len(given) != 1:
        return None
    kind, value = given[0]
    text = value.text()
    if kind == "block" and text is not None:
        try:
            return str(ipaddress.ip_network(text, strict=False))
        except ValueError:
            return None
    return text or value.referred(SECURITY_GROUP, "AWS::EC2::PrefixList")
