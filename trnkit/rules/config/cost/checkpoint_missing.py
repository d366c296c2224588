"""TRN443: nothing tells the nodes of a Capacity Block to write a checkpoint."""

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
    if cluster.compute.boot.delivery == "inline":
        return  # Its nodes cannot be told.
    for path, group in node_groups(cluster):
        times = block_times(group)
        if times is None or times.checkpoint is not None or group.count == 0:
            continue
        place = (*path, "capacity")
        yield Violation(
            message=f"{format_path(place)} has no checkpoint_minutes: node group {group.name} is "
            f"emptied at {format_utc(times.scale_in)}, and its nodes are not told before",
            hint="write `checkpoint_minutes:`, unless your jobs write checkpoints often enough",
            path=place,
        )


_GROUP = (
    "network: {availability_zone_id: use2-az3}\n"
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, capacity: "
    "{type: capacity-block, capacity_reservation_id: cr-0123456789abcdef0, "
    "start: 2027-03-01T11:30:00Z, end: 2027-03-08T11:30:00Z"
)

RULE = ConfigRule(
    id="TRN443",
    title="nodes of a Capacity Block can be told to write a checkpoint",
    severity=Severity.INFO,
    why="A block ends whatever the job does; what was computed since the last checkpoint is lost.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html",
    good=_GROUP + ", checkpoint_minutes: 15}}]}\n",
    bad=_GROUP + "}}]}\n",
    check=_check,
)
