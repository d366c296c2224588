"""What a change of a network does to what runs in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.report.change_results import Effect, Verdict

if TYPE_CHECKING:
    from trnkit.operations.changes.differences import Difference
    from trnkit.operations.changes.pairs import ResourcePair

_RULE_LISTS = ("SecurityGroupIngress", "SecurityGroupEgress")


def judge_security_group(pair: ResourcePair, difference: Difference) -> Effect | None:
    """Rules of a group act at once on every interface that carries it."""
    if difference.top not in _RULE_LISTS:
        return None
    if difference.old is None:
        return Effect(verdict=Verdict.SAFE, message="more is let through, at once")
    return Effect(
        verdict=Verdict.INTERRUPTS,
        message="a rule is taken away or replaced: traffic that needed it stops at once on every "
        "interface that carries the group",
        hint="add the new rule first, and remove the old one in another update",
    )


def judge_route(pair: ResourcePair, difference: Difference) -> Effect | None:
    """Connections over a route break when it leads elsewhere."""
    schema = pair.schema
    if schema is not None and schema.is_create_only(difference.path):
        return None
    return Effect(
        verdict=Verdict.INTERRUPTS, message="traffic takes another way; open connections break"
    )


def judge_endpoint(pair: ResourcePair, difference: Difference) -> Effect | None:
    """Where an endpoint is, and for whom, changes in place and at once."""
    if difference.top in ("RouteTableIds", "SubnetIds", "SecurityGroupIds", "PrivateDnsEnabled"):
        if difference.old is None:
            return Effect(verdict=Verdict.SAFE, message="it is changed in place")
        return Effect(
            verdict=Verdict.INTERRUPTS,
            message="requests over this endpoint may take another way or fail",
        )
    return None
