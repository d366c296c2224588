"""Security group rules for Lustre, as resources of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import aws_ec2 as ec2

from trnkit.catalog import lustre_port_ranges

if TYPE_CHECKING:
    from collections.abc import Iterator

    from constructs import Construct

_ALL_TRAFFIC = "-1"

SecurityGroupRule = ec2.CfnSecurityGroupEgress | ec2.CfnSecurityGroupIngress


def lustre_rules(
    scope: Construct, name: str, source_id: str, target_id: str, *, efa: bool = False
) -> Iterator[SecurityGroupRule]:
    """Egress on the source and ingress on the target, for every Lustre port range.

    Args:
        scope: Parent of the rules.
        name: Beginning of their ids.
        source_id: Group that connections come from.
        target_id: Group that they go to.
        efa: Admit all traffic instead: EFA has no ports, and needs rules that name the groups.
    """
    yield from egress_rules(scope, name, source_id, target_id, efa=efa)
    yield from ingress_rules(scope, name, source_id, target_id, efa=efa)


def egress_rules(
    scope: Construct, name: str, source_id: str, target_id: str, *, efa: bool = False
) -> Iterator[ec2.CfnSecurityGroupEgress]:
    """The rules on the source alone."""
    for suffix, protocol, first, last in _traffic(efa):
        yield ec2.CfnSecurityGroupEgress(
            scope,
            f"{name}Egress{suffix}",
            group_id=source_id,
            destination_security_group_id=target_id,
            ip_protocol=protocol,
            from_port=first,
            to_port=last,
            description="Lustre",
        )


def ingress_rules(
    scope: Construct, name: str, source_id: str, target_id: str, *, efa: bool = False
) -> Iterator[ec2.CfnSecurityGroupIngress]:
    """The rules on the target alone."""
    for suffix, protocol, first, last in _traffic(efa):
        yield ec2.CfnSecurityGroupIngress(
            scope,
            f"{name}Ingress{suffix}",
            group_id=target_id,
            source_security_group_id=source_id,
            ip_protocol=protocol,
            from_port=first,
            to_port=last,
            description="Lustre",
        )


def rule_ids(name: str, *, efa: bool = False) -> list[str]:
    """Construct ids of all rules for clients of a name."""
    return [
        f"{name}{way}{kind}{suffix}"
        for way in ("To", "From")
        for kind in ("Egress", "Ingress")
        for suffix, *_ in _traffic(efa)
    ]


def _traffic(efa: bool) -> Iterator[tuple[str, str, int | None, int | None]]:
    """Suffix for ids, protocol, first and last port."""
    if efa:
        yield "All", _ALL_TRAFFIC, None, None
        return
    for first, last in lustre_port_ranges():
        yield f"{first}" if first == last else f"{first}To{last}", "tcp", first, last
