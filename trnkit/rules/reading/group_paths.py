"""Whether traffic may pass from the security groups of one end to those of another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.reading.security_groups import Direction, known_groups, rules_of

if TYPE_CHECKING:
    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.stack_set import Resource, StackSet


def groups_of_nodes(template: LaunchTemplate) -> tuple[Resource, ...] | None:
    """The groups of the nodes' interfaces with an address; None when any of them is not known."""
    interfaces = template.interfaces
    if interfaces is None:
        return None
    if not interfaces:
        return known_groups(template.data["SecurityGroupIds"].entries())
    found = [known_groups(i.value["Groups"].entries()) for i in interfaces if i.kind != "efa-only"]
    known = [groups for groups in found if groups is not None]
    return tuple(g for groups in known for g in groups) if len(known) == len(found) else None


def may_pass(
    here: tuple[Resource, ...],
    there: tuple[Resource, ...],
    direction: Direction,
    port: int,
    stack_set: StackSet,
    *,
    ipv4_only: bool = False,
) -> bool:
    """Whether TCP to a port may pass between two ends, as far as one end's groups decide it.

    Args:
        here: The groups of the one end.
        there: The groups of the other end.
        direction: Of the traffic, as the first end sees it.
        port: The port.
        stack_set: The set they are in.
        ipv4_only: Whether the two ends have no IPv6 addresses.
    """
    for group in here:
        known = rules_of(group, direction, stack_set)
        if known.is_open or not known.is_complete:
            return True
        for rule in known.rules:
            # Which addresses the other end has stands in no template.
            by_address = rule.is_by_ipv4 if ipv4_only else rule.is_by_address
            if rule.admits(port) and (by_address or rule.peers_with(there) is not False):
                return True
    return False
