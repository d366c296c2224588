"""TRN216: the placement group agrees with where the capacity is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.capacity import uses_capacity_block, uses_existing_reservation
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.objections import at_path
from trnkit.rules.judging.placement import judge_placement
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig, NodeGroupConfig
    from trnkit.rules.judging.placement import PlacementGroup, Source


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        place, placement = (*path, "placement"), group.placement
        named = placement.group_name is not None
        given: PlacementGroup = "new" if placement.cluster else "named" if named else "none"
        verdict = judge_placement(given, _source(group))
        if verdict is not None and verdict[0] is Severity.ERROR:
            yield at_path(place, verdict[1])
        elif named and placement.cluster is not None:
            yield Violation(
                message=f"{format_path(place)} has both cluster and group_name",
                hint="keep group_name for the existing group, or cluster for a new one",
                path=place,
            )
        elif verdict is not None:
            severity, wrong = verdict
            yield at_path((*place, "cluster"), wrong, severity)


def _source(group: NodeGroupConfig) -> Source:
    if uses_capacity_block(group):
        return "capacity-block"
    return "reservation" if uses_existing_reservation(group) else "other"


_GROUP = (
    "network: {availability_zone_id: use2-az3}\n"
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, capacity: "
    "{type: capacity-block, capacity_reservation_id: cr-0123456789abcdef0, "
    "start: 2027-03-01T11:30:00Z, end: 2027-03-08T11:30:00Z}"
)

RULE = ConfigRule(
    id="TRN216",
    title="the placement group agrees with where the capacity is",
    severity=Severity.ERROR,
    why="EC2 refuses placement groups with Capacity Blocks, and a reservation that was not made in "
    "the group cannot be used from it: some nodes start On-Demand, the others not at all.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html",
    good=_GROUP + "}]}\n",
    bad=_GROUP + ", placement: {cluster: true}}]}\n",
    check=_check,
)
