"""TRN213: the times of a Capacity Block are possible and leave time to work."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from trnkit.catalog import capacity_block_facts
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.capacity import block_times, format_utc
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.config.yaml_reader import Path
    from trnkit.layout.capacity import BlockTimes


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        times = block_times(group)
        if times is not None:
            yield from _judge(times, (*path, "capacity"))


def _judge(times: BlockTimes, place: Path) -> Iterator[Violation]:
    facts = capacity_block_facts()
    evidence = f"catalogue, Capacity Blocks ({facts.date})"
    start, end = format_path((*place, "start")), format_path((*place, "end"))
    if times.end.strftime("%H:%M:%S") != f"{facts.end_time_utc}:00":
        yield Violation(
            message=f"{end} is {format_utc(times.end)}; every block ends at {facts.end_time_utc} "
            "UTC",
            hint=f"write `end: {times.end.strftime('%Y-%m-%d')}T{facts.end_time_utc}:00Z`",
            path=(*place, "end"),
            evidence=evidence,
        )
    if times.start >= times.end:
        yield Violation(
            message=f"{start} is {format_utc(times.start)}, not before the end, "
            f"{format_utc(times.end)}",
            hint="write the block's own times",
            path=(*place, "start"),
        )
    elif times.scale_in <= times.start:
        yield Violation(
            message=f"{start} is {format_utc(times.start)}, but the group is emptied at "
            f"{format_utc(times.scale_in)} already",
            hint="lower `scale_in_margin_minutes`",
            path=(*place, "start"),
            evidence=f"EC2 begins to terminate instances at {format_utc(times.termination)}; "
            + evidence,
        )
    elif times.end - times.start > timedelta(days=facts.maximum_days):
        yield Violation(
            message=f"{end} is {(times.end - times.start).days} days after the start; a block has "
            f"at most {facts.maximum_days}",
            hint="write the block's own times",
            path=(*place, "end"),
            evidence=evidence,
        )


_GROUP = (
    "network: {availability_zone_id: use2-az3}\n"
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, capacity: "
    "{type: capacity-block, capacity_reservation_id: cr-0123456789abcdef0, "
    "start: 2027-03-01T11:30:00Z, end: "
)

RULE = ConfigRule(
    id="TRN213",
    title="the times of a Capacity Block are possible and leave time to work",
    severity=Severity.ERROR,
    why="The group is emptied by these times. A wrong end means that EC2 terminates training "
    "without a checkpoint, or that paid hours stay unused.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html",
    good=_GROUP + "2027-03-08T11:30:00Z}}]}\n",
    bad=_GROUP + "2027-03-08T12:00:00Z}}]}\n",
    check=_check,
)
