"""TRN214: a node group is not larger than a Capacity Block can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import capacity_block_facts
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.capacity import uses_capacity_block
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    facts = capacity_block_facts()
    for path, group in node_groups(cluster):
        by_id = group.capacity.capacity_reservation_id is not None
        if uses_capacity_block(group) and by_id and group.count > facts.maximum_instances:
            place = (*path, "count")
            yield Violation(
                message=f"{format_path(place)} is {group.count}; one block has at most "
                f"{facts.maximum_instances} instances",
                hint="make a node group of each block",
                path=place,
                evidence=f"catalogue, Capacity Blocks ({facts.date})",
            )


_GROUP = (
    "network: {availability_zone_id: use2-az3}\n"
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, capacity: "
    "{type: capacity-block, capacity_reservation_id: cr-0123456789abcdef0, "
    "start: 2027-03-01T11:30:00Z, end: 2027-03-08T11:30:00Z}, count: "
)

RULE = ConfigRule(
    id="TRN214",
    title="a node group is not larger than a Capacity Block can be",
    severity=Severity.ERROR,
    why="Nodes beyond the block's size never start: a targeted launch does not become On-Demand.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html",
    good=_GROUP + "64}]}\n",
    bad=_GROUP + "65}]}\n",
    check=_check,
)
