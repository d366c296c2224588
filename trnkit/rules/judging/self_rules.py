"""Security groups whose members may talk to each other in every way, as EFA wants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.reading.security_groups import Direction, rules_of

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Resource, StackSet

_WAYS: tuple[tuple[Direction, str], ...] = (("Ingress", "in from"), ("Egress", "out to"))


def missing_self_rules(groups: tuple[Resource, ...], stack_set: StackSet) -> str | None:
    """What keeps EFA traffic from passing between members of security groups.

    Args:
        groups: The groups that an interface is in.
        stack_set: The templates.

    Returns:
        What each group lacks; None when one lacks nothing, or that cannot be known.
    """
    lacks: list[str] = []
    for group in dict.fromkeys(groups):
        ways = [way for direction, way in _WAYS if _lacks(group, direction, stack_set)]
        if not ways:
            return None
        lacks.append(f"{group.logical_id} lacks the rule {' and the rule '.join(ways)} itself")
    return ", ".join(lacks[:3])


def _lacks(group: Resource, direction: Direction, stack_set: StackSet) -> bool:
    """Whether the group certainly has no rule for all traffic with itself."""
    found = rules_of(group, direction, stack_set)
    certainly_not = all(
        rule.is_all_traffic is False or rule.peers_with((group,)) is False for rule in found.rules
    )
    return found.is_complete and certainly_not
