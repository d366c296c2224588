"""TRN440: nodes of a Capacity Block are told to write a checkpoint while the block runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.capacity import block_times, format_utc
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        times = block_times(group)
        # Times that are impossible by themselves are for another rule.
        if times is None or times.checkpoint is None or times.scale_in <= times.start:
            continue
        if times.checkpoint <= times.start:
            place = (*path, "capacity", "checkpoint_minutes")
            most = int((times.scale_in - times.start).total_seconds() // 60) - 1
            yield Violation(
                message=f"{format_path(place)} is {group.capacity.checkpoint_minutes}: nodes would "
                f"be told at {format_utc(times.checkpoint)}, and the block begins at "
                f"{format_utc(times.start)}",
                hint=f"write at most {most}, and leave time to work" if most >= 1 else "remove it",
                path=place,
                evidence=f"the group is emptied at {format_utc(times.scale_in)}, EC2 begins to "
                f"terminate instances at {format_utc(times.termination)}",
            )


_GROUP = (
    "network: {availability_zone_id: use2-az3}\n"
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, capacity: "
    "{type: capacity-block, capacity_reservation_id: cr-0123456789abcdef0, "
    "start: 2027-03-07T11:30:00Z, end: 2027-03-08T11:30:00Z, checkpoint_minutes: "
)

RULE = ConfigRule(
    id="TRN440",
    title="nodes of a Capacity Block are told to write a checkpoint while the block runs",
    severity=Severity.ERROR,
    why="There is no node yet that could be told, and nobody is told later: EC2 terminates the "
    "work without a checkpoint.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html",
    good=_GROUP + "30}}]}\n",
    bad=_GROUP + "1440}}]}\n",
    check=_check,
)
