"""TRN221: node groups that share a reservation agree about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig, NodeGroupConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    first: dict[str, NodeGroupConfig] = {}
    for path, group in node_groups(cluster):
        reservation = group.capacity.capacity_reservation_id
        if reservation is None:
            continue
        other = first.setdefault(reservation, group)
        place = (*path, "capacity", "capacity_reservation_id")
        differences = (
            ("type", group.instance_type, other.instance_type),
            ("kind", group.capacity.type, other.capacity.type),
        )
        for what, here, there in differences:
            if here != there:
                yield Violation(
                    message=f"{format_path(place)} is also the reservation of {other.name}; a "
                    f"reservation has one {what}, but {group.name} says {here} and {other.name} "
                    f"{there}",
                    hint="give each group its own reservation",
                    path=place,
                )


def _pair(second: str) -> str:
    reserved = "capacity: {type: on-demand-reservation, capacity_reservation_id: "
    return (
        "network: {availability_zone_id: use2-az3}\n"
        "compute: {node_groups: [{name: big, instance_type: trn2.48xlarge, count: 1, "
        f"{reserved}cr-0123456789abcdef0}}}}, {{name: small, instance_type: {second}, count: 1, "
        f"{reserved}cr-0123456789abcdef0}}}}]}}\n"
    )


RULE = ConfigRule(
    id="TRN221",
    title="node groups that share a reservation agree about it",
    severity=Severity.ERROR,
    why="A reservation is of one instance type and one kind; launches of another never use it.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-concepts.html",
    good=_pair("trn2.48xlarge"),
    bad=_pair("trn1.32xlarge"),
    check=_check,
)
