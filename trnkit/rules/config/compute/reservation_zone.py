"""TRN215: a Capacity Block's or reservation's own zone is written down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.capacity import uses_capacity_block, uses_existing_reservation
from trnkit.layout.zones import named_zone_id
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    if named_zone_id(cluster) is not None:
        return
    for path, group in node_groups(cluster):
        if uses_capacity_block(group) or uses_existing_reservation(group):
            yield Violation(
                message=f"network.availability_zone_id is not given, but the node group "
                f"{group.name} uses a {group.capacity.type}, which is in one zone",
                hint="write the zone that `aws ec2 describe-capacity-reservations --query "
                "CapacityReservations[].[CapacityReservationId,AvailabilityZoneId]` prints",
                path=(*path, "capacity"),
            )


_REST = (
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, capacity: "
    "{type: capacity-block, capacity_reservation_id: cr-0123456789abcdef0, "
    "start: 2027-03-01T11:30:00Z, end: 2027-03-08T11:30:00Z}}]}\n"
)

RULE = ConfigRule(
    id="TRN215",
    title="a Capacity Block's or reservation's own zone is written down",
    severity=Severity.ERROR,
    why="Launches in another zone miss the reservation, which bills its whole time all the same.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html",
    good="network: {availability_zone_id: use2-az3}\n" + _REST,
    bad=_REST,
    check=_check,
)
