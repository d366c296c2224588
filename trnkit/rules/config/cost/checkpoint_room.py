"""TRN442: a checkpoint has more time than the schedule that asks for it is exact."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import capacity_block_facts
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.draining import drain_plan
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    facts = capacity_block_facts()
    for path, group in node_groups(cluster):
        minutes = group.capacity.checkpoint_minutes
        if drain_plan(group) is None or minutes is None:
            continue
        if minutes * 60 <= facts.schedule_precision_seconds:
            place = (*path, "capacity", "checkpoint_minutes")
            yield Violation(
                message=f"{format_path(place)} is {minutes}: EventBridge Scheduler may be "
                f"{facts.schedule_precision_seconds} seconds late, which leaves nothing of it",
                hint="write the time that your checkpoint takes, and some minutes more",
                path=place,
                evidence=f"catalogue, Capacity Blocks ({facts.date})",
            )


_GROUP = (
    "network: {availability_zone_id: use2-az3}\n"
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, capacity: "
    "{type: capacity-block, capacity_reservation_id: cr-0123456789abcdef0, "
    "start: 2027-03-01T11:30:00Z, end: 2027-03-08T11:30:00Z, checkpoint_minutes: "
)

RULE = ConfigRule(
    id="TRN442",
    title="a checkpoint has more time than the schedule that asks for it is exact",
    severity=Severity.WARNING,
    why="Nodes are told when they are being terminated already: trn-drain refuses a deadline that "
    "has passed.",
    source="https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html",
    good=_GROUP + "15}}]}\n",
    bad=_GROUP + "1}}]}\n",
    check=_check,
)
