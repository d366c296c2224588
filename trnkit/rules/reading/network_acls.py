"""Network ACLs as rules see them: numbered entries, of which the first that fits decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.rules.reading.template_value import properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

_ACL, _SUBNET = "AWS::EC2::NetworkAcl", "AWS::EC2::Subnet"
_EVERYWHERE = "0.0.0.0/0"
_TCP = "6"
_LAST = 65535


@dataclass(frozen=True, slots=True)
class AclEntry:
    """One entry of a network ACL, over IPv4; None is what is not known.

    Attributes:
        number: Its place among the entries.
        is_egress: Whether it is about traffic out of the subnet.
        denies: Whether it certainly refuses, from or to everywhere.
        may_admit: Whether it admits, or may do so.
        first: The first TCP port that it is about; 0 when it is about all of them.
        last: The last one; below `first` when it is about no TCP at all.
    """

    number: int | None
    is_egress: bool | None
    denies: bool
    may_admit: bool
    first: int
    last: int


def acl_associations(stack_set: StackSet) -> Iterator[tuple[Resource, Resource, Resource]]:
    """Each association whose subnet and ACL are in the set, with the two."""
    for association in stack_set.resources("AWS::EC2::SubnetNetworkAclAssociation"):
        properties = properties_of(association)
        subnet = properties["SubnetId"].referred(_SUBNET)
        acl = properties["NetworkAclId"].referred(_ACL)
        if subnet is not None and acl is not None:
            yield association, subnet, acl


def admits_some(acl: Resource, first: int, last: int, stack_set: StackSet, *, egress: bool) -> bool:
    """Whether an ACL admits TCP to some port of a range, or may do so.

    Args:
        acl: The ACL.
        first: The first port.
        last: The last port.
        stack_set: The set it is in.
        egress: Whether the traffic leaves the subnet.
    """
    found = stack_set.derive(_entries_by_acl)
    if None in found:
        return True
    entries = [entry for entry in found.get(acl, ()) if entry.is_egress is not (not egress)]
    if any(entry.number is None or entry.is_egress is None for entry in entries):
        return any(e.may_admit and e.first <= last and e.last >= first for e in entries)
    ordered = sorted(entries, key=lambda entry: entry.number or 0)
    # Between two neighbouring borders all ports fare alike.
    borders = {first, last, *(e.first for e in ordered), *(e.last + 1 for e in ordered)}
    return any(_admits(ordered, port) for port in borders if first <= port <= last)


def _admits(ordered: list[AclEntry], port: int) -> bool:
    for entry in ordered:
        if entry.first <= port <= entry.last:
            if entry.may_admit:
                return True
            if entry.denies:
                return False
    return False


def _entries_by_acl(stack_set: StackSet) -> dict[Resource | None, list[AclEntry]]:
    """The entries of each ACL; those of an ACL that is not known stand at None."""
    found: dict[Resource | None, list[AclEntry]] = {}
    for resource in stack_set.resources("AWS::EC2::NetworkAclEntry"):
        owner = properties_of(resource)["NetworkAclId"]
        acl = owner.referred(_ACL)
        if acl is not None or owner.text() is None:
            found.setdefault(acl, []).append(_read(resource))
    return found


def _read(resource: Resource) -> AclEntry:
    entry = properties_of(resource)
    egress, action, block = entry["Egress"], entry["RuleAction"].text(), entry["CidrBlock"]
    is_for_ipv4 = not block.is_absent or entry["Ipv6CidrBlock"].is_absent
    is_certain = resource.is_made is True
    first, last, are_known = _ports(resource)
    return AclEntry(
        entry["RuleNumber"].integer(),
        False if egress.is_absent else egress.boolean(),
        is_certain and action == "deny" and block.text() == _EVERYWHERE and are_known,
        action != "deny" and is_for_ipv4,
        first,
        last,
    )


def _ports(resource: Resource) -> tuple[int, int, bool]:
    """The TCP ports of an entry, and whether they are known. Others count as all of them."""
    entry = properties_of(resource)
    protocol, ports = entry["Protocol"].text(), entry["PortRange"]
    first, last = ports["From"].integer(), ports["To"].integer()
    if protocol == "-1":
        return 0, _LAST, True
    if protocol not in (None, _TCP):
        return 1, 0, True
    if protocol is None or first is None or last is None:
        return 0, _LAST, False
    return first, last, True
