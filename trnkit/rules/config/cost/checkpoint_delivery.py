"""TRN441: nodes that shall be told to write a checkpoint have the program that tells them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.draining import drain_plan
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    if cluster.compute.boot.delivery != "inline":
        return
    for path, group in node_groups(cluster):
        if drain_plan(group) is not None:
            place = (*path, "capacity", "checkpoint_minutes")
            yield Violation(
                message=f"{format_path(place)} is {group.capacity.checkpoint_minutes}, but "
                "compute.boot.delivery is inline, which does not bring trn-drain to the nodes",
                hint="leave compute.boot.delivery at s3-asset, or remove checkpoint_minutes",
                path=place,
            )


_BLOCK = (
    "node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, capacity: "
    "{type: capacity-block, capacity_reservation_id: cr-0123456789abcdef0, checkpoint_minutes: 15, "
    "start: 2027-03-01T11:30:00Z, end: 2027-03-08T11:30:00Z}}]"
)
_ZONE = "network: {availability_zone_id: use2-az3}\n"

RULE = ConfigRule(
    id="TRN441",
    title="nodes that shall be told to write a checkpoint have the program that tells them",
    severity=Severity.ERROR,
    why="The command fails on every node, and the block ends without a word to what runs in it.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html",
    good=f"{_ZONE}compute: {{{_BLOCK}}}\n",
    bad=f"{_ZONE}compute: {{boot: {{delivery: inline}}, {_BLOCK}}}\n",
    check=_check,
)
