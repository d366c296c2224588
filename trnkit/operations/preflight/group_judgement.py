"""What security groups let pass, in any shape that AWS tells their rules in; asks nobody.

Security groups remember connections, so that one direction is judged at each end, and what an
interface may do is what all its groups allow together.

Sources:
    https://docs.aws.amazon.com/vpc/latest/userguide/security-group-rules.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html
"""

from __future__ import annotations

from enum import IntEnum
from ipaddress import IPv4Network, collapse_addresses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from trnkit.aws.ec2_network_rules import GroupPermission, SecurityGroup


class Admission(IntEnum):
    """Whether traffic may pass, worst first; `MAYBE` hangs on what a prefix list holds."""

    NO = 0
    PART = 1
    MAYBE = 2
    YES = 3


def permissions_of(groups: Iterable[SecurityGroup], *, egress: bool) -> tuple[GroupPermission, ...]:
    """What groups allow together in one direction."""
    return tuple(p for group in groups for p in group.permissions if p.is_egress is egress)


def admission(
    permissions: Iterable[GroupPermission],
    first: int,
    last: int,
    *,
    group_ids: Collection[str] = (),
    cidr: str | None = None,
) -> Admission:
    """Whether TCP to all ports of a range may pass from or to a peer.

    Args:
        permissions: All of one direction.
        first: The first port.
        last: The last port.
        group_ids: Security groups that the peer is in.
        cidr: The IPv4 block in which the peer has its address; None is not known, so that only
            a rule for every address admits it.

    Returns:
        The worst of the ports; `PART` where only a part of the block may pass.
    """
    wanted = tuple(permissions)
    borders = {first, *(p.first for p in wanted), *(p.last + 1 for p in wanted)}
    each = [
        _at_port([p for p in wanted if p.admits_tcp(port, port)], group_ids, cidr)
        for port in sorted(borders)
        if first <= port <= last
    ]
    best, worst = max(each), min(each)
    # Some of the ports are open, and others not at all.
    return Admission.PART if worst is Admission.NO and best is not Admission.NO else worst


def _at_port(
    permissions: list[GroupPermission], group_ids: Collection[str], cidr: str | None
) -> Admission:
    if any(peer in group_ids for p in permissions for peer in p.group_ids):
        return Admission.YES
    peer = IPv4Network(cidr or "0.0.0.0/0", strict=False)
    blocks = list(
        collapse_addresses(
            IPv4Network(block, strict=False) for p in permissions for block in p.cidrs
        )
    )
    if any(peer.subnet_of(block) for block in blocks):
        return Admission.YES
    if any(p.prefix_list_ids for p in permissions):
        return Admission.MAYBE
    if cidr is None and blocks:
        return Admission.MAYBE
    return Admission.PART if any(block.overlaps(peer) for block in blocks) else Admission.NO


def missing_self_rules(groups: Collection[SecurityGroup]) -> tuple[str, ...]:
    """Which of the two rules that EFA needs no group of an interface has.

    Only rules for all traffic that name a group count: EFA is neither TCP nor has it addresses.

    Args:
        groups: All groups of the interface.

    Returns:
        `in from` and `out to`, as far as missing.
    """
    ids = {group.group_id for group in groups}
    return tuple(
        words
        for egress, words in ((False, "in from"), (True, "out to"))
        if not any(
            p.is_all_traffic and ids.intersection(p.group_ids)
            for p in permissions_of(groups, egress=egress)
        )
    )


def lets_call_out(groups: Collection[SecurityGroup], port: int) -> Admission:
    """Whether the members of groups may call others, wherever these are.

    Args:
        groups: All groups of an interface.
        port: The TCP port at the other end.

    Returns:
        `PART` where they may call each other alone.
    """
    ids = {group.group_id for group in groups}
    open_ones = [p for p in permissions_of(groups, egress=True) if p.admits_tcp(port, port)]
    if any(
        p.cidrs or p.ipv6_cidrs or p.prefix_list_ids or set(p.group_ids) - ids for p in open_ones
    ):
        return Admission.YES
    return Admission.PART if any(p.group_ids for p in open_ones) else Admission.NO
