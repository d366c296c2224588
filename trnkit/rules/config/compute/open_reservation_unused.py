"""TRN222: node groups do not pass by open reservations unless that is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    opened = {
        group.instance_type
        for group in cluster.compute.node_groups
        if group.capacity.create and group.capacity.create.instance_match_criteria == "open"
    }
    for path, group in node_groups(cluster):
        if group.capacity.capacity_reservation_preference != "none":
            continue
        place = (*path, "capacity", "capacity_reservation_preference")
        own = group.instance_type in opened
        yield Violation(
            message=f"{format_path(place)} is none: open reservations of {group.instance_type} "
            "stay idle, and bill, while these nodes run On-Demand"
            + ("; this file makes such a reservation" if own else ""),
            hint="remove it, unless others need the reservations",
            path=place,
            severity=Severity.WARNING if own else None,
        )


_GROUP = "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, capacity: "

RULE = ConfigRule(
    id="TRN222",
    title="node groups do not pass by open reservations unless that is meant",
    severity=Severity.INFO,
    why="A reservation bills whether it is used or not.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-launch.html",
    good=_GROUP + "{type: on-demand, capacity_reservation_preference: open}}]}\n",
    bad=_GROUP + "{type: on-demand, capacity_reservation_preference: none}}]}\n",
    check=_check,
)
