"""TRN449: when the nodes of a Capacity Block are told, emptied and terminated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import capacity_block_facts
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.capacity import block_times, format_utc
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.wording import count
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    if cluster.compute.boot.delivery == "inline":
        return  # Its nodes cannot be told, which is another rule's.
    late = capacity_block_facts().schedule_precision_seconds
    for path, group in node_groups(cluster):
        times, minutes = block_times(group), group.capacity.checkpoint_minutes
        if times is None or times.checkpoint is None or minutes is None or not group.count:
            continue
        if times.checkpoint <= times.start or minutes * 60 <= late:
            continue  # Of what cannot be told in time, others speak.
        place = (*path, "capacity", "checkpoint_minutes")
        yield Violation(
            message=f"{format_path(place)} is {minutes}: nodes of {group.name} are told to write a "
            f"checkpoint at {format_utc(times.checkpoint)}, the group is emptied at "
            f"{format_utc(times.scale_in)}, EC2 terminates what still runs from "
            f"{format_utc(times.termination)} on",
            hint=f"compare it with what a checkpoint of your job takes: {_sure(minutes)} of it are "
            f"sure, for nodes may be told {late} seconds late",
            path=place,
            evidence=f"the block is from {format_utc(times.start)} to {format_utc(times.end)}",
        )


def _sure(minutes: int) -> str:
    seconds = minutes * 60 - capacity_block_facts().schedule_precision_seconds
    return count(seconds // 60, "minute") if seconds % 60 == 0 else count(seconds, "second")


_GROUP = (
    "network: {availability_zone_id: use2-az3}\n"
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, capacity: "
    "{type: capacity-block, capacity_reservation_id: cr-0123456789abcdef0, "
    "start: 2027-03-01T11:30:00Z, end: 2027-03-08T11:30:00Z, checkpoint_minutes: "
)

RULE = ConfigRule(
    id="TRN449",
    title="the nodes of a Capacity Block have the time that a checkpoint takes",
    severity=Severity.INFO,
    why="The minutes of a file are moments on some day, by which the job must have written what is "
    "to be kept.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html",
    good="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1}]}\n",
    bad=_GROUP + "15}}]}\n",
    check=_check,
)
