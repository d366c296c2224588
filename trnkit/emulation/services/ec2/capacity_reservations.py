"""Capacity Reservations and Capacity Blocks, which moto has no API for.

Sources: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservation-overview.html,
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from trnkit.emulation.resources.resource import partition_of, random_id
from trnkit.emulation.services.backends import ec2_backend
from trnkit.emulation.services.ec2.refusing import refuse, zone_of

PLATFORM = "Linux/UNIX"


@dataclass
class Reservation:
    """One reservation, On-Demand or part of a Capacity Block."""

    reservation_id: str
    arn: str
    instance_type: str
    platform: str
    zone: str
    zone_id: str
    total: int
    state: str = "active"
    tenancy: str = "default"
    criteria: str = "open"
    reservation_type: str = "default"
    ebs_optimized: bool = False
    ephemeral_storage: bool = False
    end_date_type: str = "unlimited"
    end_date: datetime | None = None
    placement_group_arn: str | None = None
    capacity_block_id: str | None = None
    start_date: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def is_block(self) -> bool:
        """Whether it belongs to a Capacity Block."""
        return self.reservation_type == "capacity-block"


def reservations_of(backend: Any) -> dict[str, Reservation]:
    """Reservations of an account and region by id; gone with moto's state."""
    return backend.__dict__.setdefault("capacity_reservations", {})


def reservation_groups_of(backend: Any) -> dict[str, list[str]]:
    """Reservation ids of each resource group, by the group's ARN."""
    return backend.__dict__.setdefault("capacity_reservation_groups", {})


def find(backend: Any, reservation_id: str) -> Reservation:
    """A reservation by its id.

    Raises:
        EC2ClientError: There is no such reservation.
    """
    if reservation_id not in reservations_of(backend):
        refuse(
            "InvalidCapacityReservationId.NotFound",
            f"The capacity reservation ID '{reservation_id}' does not exist",
        )
    return reservations_of(backend)[reservation_id]


def used(backend: Any, reservation: Reservation) -> int:
    """Instances that run in a reservation."""
    return sum(
        getattr(instance, "capacity_reservation_id", None) == reservation.reservation_id
        and instance.state not in ("terminated", "stopped")
        for instance in backend.all_instances()
    )


def available(backend: Any, reservation: Reservation) -> int:
    """Instances that still fit."""
    if reservation.state != "active":
        return 0
    return max(0, reservation.total - used(backend, reservation))


def make(
    backend: Any, request: Mapping[str, Any], reservation_id: str | None = None
) -> Reservation:
    """A reservation from the parameters of CreateCapacityReservation; not checked yet."""
    zone = zone_of(backend, request.get("AvailabilityZone"), request.get("AvailabilityZoneId"))
    made_id = reservation_id or f"cr-{random_id(17)}"
    region = backend.region_name
    return Reservation(
        reservation_id=made_id,
        arn=f"arn:{partition_of(region)}:ec2:{region}:{backend.account_id}:"
        f"capacity-reservation/{made_id}",
        instance_type=str(request["InstanceType"]),
        platform=str(request.get("InstancePlatform") or PLATFORM),
        zone=zone.name,
        zone_id=zone.zone_id,
        total=int(request["InstanceCount"]),
        tenancy=str(request.get("Tenancy") or "default"),
        criteria=str(request.get("InstanceMatchCriteria") or "open"),
        ebs_optimized=bool(request.get("EbsOptimized")),
        ephemeral_storage=bool(request.get("EphemeralStorage")),
        end_date=request.get("EndDate"),
        end_date_type=str(
            request.get("EndDateType") or ("limited" if request.get("EndDate") else "unlimited")
        ),
        placement_group_arn=request.get("PlacementGroupArn"),
    )


def seed_capacity_reservation(
    reservation_id: str,
    region: str,
    instance_type: str,
    instance_count: int,
    zone_id: str,
    *,
    capacity_block: bool = False,
    state: str = "active",
    match_criteria: str = "targeted",
    end_date: datetime | None = None,
    tags: Mapping[str, str] | None = None,
    account: str | None = None,
) -> None:
    """Make a reservation exist that somebody made, or bought, before.

    Args:
        reservation_id: The id, such as ``cr-0123456789abcdef0``.
        region: The region's name.
        instance_type: The type that is reserved.
        instance_count: How many instances.
        zone_id: The zone's id.
        capacity_block: Whether it is the reservation of a Capacity Block.
        state: ``active``, or what it is instead: ``scheduled``, ``expired``, ``payment-pending``...
        match_criteria: ``targeted`` or ``open``; a Capacity Block's are always ``targeted``.
        end_date: When it ends.
        tags: Its tags.
        account: The account id; None for the emulated AWS's own.
    """
    backend = ec2_backend(region, account)
    request = {
        "InstanceType": instance_type,
        "InstanceCount": instance_count,
        "AvailabilityZoneId": zone_id,
        "InstanceMatchCriteria": "targeted" if capacity_block else match_criteria,
        "EndDate": end_date,
    }
    reservation = make(backend, request, reservation_id)
    reservation.state = state
    if capacity_block:
        reservation.reservation_type = "capacity-block"
        reservation.capacity_block_id = reservation_id.replace("cr-", "cb-", 1)
    reservations_of(backend)[reservation_id] = reservation
    if tags:
        backend.create_tags([reservation_id], dict(tags))


def seed_reservation_group(
    arn: str, reservation_ids: Sequence[str], region: str, account: str | None = None
) -> None:
    """Make a resource group of reservations exist.

    Args:
        arn: The group's ARN, as a launch template's ``CapacityReservationResourceGroupArn`` has it.
        reservation_ids: The reservations in it.
        region: The region's name.
        account: The account id; None for the emulated AWS's own.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-cr-group.html
    """
    reservation_groups_of(ec2_backend(region, account))[arn] = [*reservation_ids]
