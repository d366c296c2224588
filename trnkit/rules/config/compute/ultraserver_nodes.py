"""TRN218: nodes of an UltraServer type make up whole UltraServers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.capacity import ultraservers, uses_capacity_block
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        together = ultraservers(group)
        if together is None:
            continue
        block, each = uses_capacity_block(group), together.instances_each
        if together.left_over:
            place = (*path, "count")
            yield Violation(
                message=f"{format_path(place)} is {group.count}; an UltraServer "
                f"{together.type_name} is {each} {group.instance_type}",
                hint=f"write a multiple of {each}, such as {(together.count + 1) * each}",
                path=place,
                severity=Severity.ERROR if block else Severity.WARNING,
            )
        if block and group.capacity.capacity_reservation_id:
            place = (*path, "capacity", "capacity_reservation_id")
            yield Violation(
                message=f"{format_path(place)} names one reservation; an UltraServer block is used "
                "through a resource group of reservations",
                hint="write `capacity_reservation_resource_group_arn:` instead",
                path=place,
            )


_GROUP = (
    "network: {availability_zone_id: use2-az3}\n"
    "compute: {node_groups: [{name: train, instance_type: trn2u.48xlarge, capacity: "
    "{type: capacity-block, start: 2027-03-01T11:30:00Z, end: 2027-03-08T11:30:00Z, "
    "capacity_reservation_resource_group_arn: "
    "'arn:aws:resource-groups:us-east-2:111122223333:group/ultra'}, count: "
)

RULE = ConfigRule(
    id="TRN218",
    title="nodes of an UltraServer type make up whole UltraServers",
    severity=Severity.ERROR,
    why="The links between instances exist within one UltraServer; nodes that make up no whole one "
    "train as if they were ordinary ones, at the price of the other.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html",
    good=_GROUP + "8}]}\n",
    bad=_GROUP + "6}]}\n",
    check=_check,
)
