"""TRN217: what kind a reservation is, and what is free in it, is known to the account alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.capacity import uses_existing_reservation
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        reservation = group.capacity.capacity_reservation_id
        if uses_existing_reservation(group) and reservation is not None:
            place = (*path, "capacity", "capacity_reservation_id")
            yield Violation(
                message=f"{format_path(place)} is taken for an On-Demand Capacity Reservation; the "
                "id of a Capacity Block looks the same",
                hint="see ReservationType in `aws ec2 describe-capacity-reservations "
                f"--capacity-reservation-ids {reservation}`; a block needs `type: capacity-block`",
                path=place,
            )


_GROUP = (
    "network: {availability_zone_id: use2-az3}\n"
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, capacity: "
)

RULE = ConfigRule(
    id="TRN217",
    title="the kind of a reservation is as the account has it",
    severity=Severity.INFO,
    why="A launch with the options of the other kind fails, or is refused for lack of capacity "
    "while the reservation is paid for and idle.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-view.html",
    good=_GROUP + "{type: on-demand-reservation, create: {unlimited: true}}}]}\n",
    bad=_GROUP + "{type: on-demand-reservation, "
    "capacity_reservation_id: cr-0123456789abcdef0}}]}\n",
    check=_check,
)
