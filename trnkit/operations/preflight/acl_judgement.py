"""What a network ACL lets pass: entries by number, the first that fits decides; asks nobody.

A network ACL remembers no connection, so that both directions are judged, and is asked only where
traffic enters or leaves its subnet.

Source: https://docs.aws.amazon.com/vpc/latest/userguide/nacl-rules.html
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from trnkit.catalog import network_limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trnkit.aws.ec2_network_rules import AclEntry, NetworkAcl

_PRIVATE = tuple(
    map(IPv4Network, ("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16"))
)
"""Blocks of private networks; AWS's services have none of their public addresses there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What becomes of TCP to a range of ports, which fares alike at all of them.

    Attributes:
        first: The first port.
        last: The last one.
        admits_some: Whether some of the addresses are let pass.
        admits_all: Whether all of them are.
        denied_by: Numbers of the entries that refuse some, lowest first; () when that is AWS's
            own last entry, or nothing is refused.
    """

    first: int
    last: int
    admits_some: bool
    admits_all: bool
    denied_by: tuple[int, ...]


def passages(
    acl: NetworkAcl, first: int, last: int, blocks: Iterable[IPv4Network], *, egress: bool
) -> tuple[Passage, ...]:
    """What an ACL does with TCP to a range of ports.

    Args:
        acl: The ACL.
        first: The first port.
        last: The last port.
        blocks: The addresses at the other end.
        egress: Whether the traffic leaves the subnet.

    Returns:
        The range in pieces, in order, each of ports that fare alike.
    """
    entries = sorted(
        (e for e in acl.entries if e.is_egress is egress and e.is_for_tcp and e.cidr),
        key=lambda entry: entry.number,
    )
    borders = {first, *(e.first for e in entries), *(e.last + 1 for e in entries)}
    starts = sorted(port for port in borders if first <= port <= last)
    ends = [*(start - 1 for start in starts[1:]), last]
    wanted = tuple(blocks)
    return tuple(
        _passage([e for e in entries if e.first <= start <= e.last], start, end, wanted)
        for start, end in zip(starts, ends, strict=True)
    )


def public_blocks() -> tuple[IPv4Network, ...]:
    """All addresses but those of private networks."""
    left = [IPv4Network("0.0.0.0/0")]
    for private in _PRIVATE:
        left = [rest for block in left for rest in _without(block, private)]
    return tuple(left)


def _passage(
    entries: Sequence[AclEntry], first: int, last: int, blocks: Sequence[IPv4Network]
) -> Passage:
    left, admits = list(blocks), False
    deniers: list[int] = []
    for entry in entries:
        there = IPv4Network(entry.cidr or "0.0.0.0/0", strict=False)
        if not any(block.overlaps(there) for block in left):
            continue
        if entry.allows:
            admits = True
        else:
            deniers.append(entry.number)
        left = [rest for block in left for rest in _without(block, there)]
    own = tuple(number for number in deniers if number <= network_limits().last_acl_entry)
    return Passage(
        first=first,
        last=last,
        admits_some=admits,
        admits_all=not deniers and not left,
        denied_by=own,
    )


def _without(block: IPv4Network, other: IPv4Network) -> list[IPv4Network]:
    """The addresses of a block that another does not have; two blocks overlap whole or not."""
    if not block.overlaps(other):
        return [block]
    return [] if block.subnet_of(other) else list(block.address_exclude(other))
