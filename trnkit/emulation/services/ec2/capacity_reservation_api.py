"""The operations of Capacity Reservations and Capacity Blocks.

Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservation-overview.html
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from trnkit.emulation.services.ec2 import placement_groups, vcpu_quotas
from trnkit.emulation.services.ec2.capacity_reservations import (
    Reservation,
    available,
    find,
    make,
    reservations_of,
    used,
)
from trnkit.emulation.services.ec2.instance_types import instance_type, offered_in
from trnkit.emulation.services.ec2.refusing import (
    invalid,
    missing,
    passes,
    refuse,
    tag_set,
    tags_for,
    zone_of,
)


def create(backend: Any, request: Mapping[str, Any]) -> Reservation:
    """Reserve capacity.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateCapacityReservation.html
    """
    for parameter in ("InstanceType", "InstancePlatform", "InstanceCount"):
        if request.get(parameter) in (None, ""):
            missing(parameter)
    if not request.get("AvailabilityZone") and not request.get("AvailabilityZoneId"):
        missing("AvailabilityZone or AvailabilityZoneId")
    _check_end(request)
    _check_type(backend, request)
    _check_placement(backend, request)
    vcpu_quotas.check(
        backend, str(request["InstanceType"]), int(request["InstanceCount"]), spot=False
    )
    reservation = make(backend, request)
    reservations_of(backend)[reservation.reservation_id] = reservation
    tags = tags_for(request.get("TagSpecifications"), "capacity-reservation")
    if tags:
        backend.create_tags([reservation.reservation_id], tags)
    return reservation


def _check_end(request: Mapping[str, Any]) -> None:
    kind, end = request.get("EndDateType"), request.get("EndDate")
    if kind == "limited" and not end:
        refuse(
            "InvalidParameterCombination",
            "You must specify an EndDate when the EndDateType is limited.",
        )
    if kind == "unlimited" and end:
        refuse(
            "InvalidParameterCombination",
            "You can't specify an EndDate when the EndDateType is unlimited.",
        )
    if kind not in (None, "limited", "unlimited"):
        invalid(kind, "EndDateType")
    if request.get("InstanceMatchCriteria") not in (None, "open", "targeted"):
        invalid(request.get("InstanceMatchCriteria"), "InstanceMatchCriteria")


def _check_type(backend: Any, request: Mapping[str, Any]) -> None:
    name = str(request["InstanceType"])
    if instance_type(name) is None:
        refuse("InvalidParameterValue", f"Invalid value '{name}' for InstanceType.")
    zone = zone_of(backend, request.get("AvailabilityZone"), request.get("AvailabilityZoneId"))
    offering = offered_in(name, backend.region_name)
    if offering is not None and zone.zone_id not in offering:
        refuse(
            "Unsupported",
            f"Your requested instance type ({name}) is not supported in your requested "
            f"Availability Zone ({zone.name}).",
        )
    if int(request["InstanceCount"]) < 1:
        invalid(request["InstanceCount"], "InstanceCount", "It must be greater than 0.")


def _check_placement(backend: Any, request: Mapping[str, Any]) -> None:
    """Only cluster placement groups take reservations.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html
    """
    arn = request.get("PlacementGroupArn")
    if arn and placement_groups.find(backend, arn=arn).strategy != "cluster":
        refuse(
            "InvalidParameterValue",
            "Capacity Reservations can be created in cluster placement groups only.",
        )


def modify(backend: Any, request: Mapping[str, Any]) -> None:
    """Change count, end or criteria.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyCapacityReservation.html
    """
    reservation = find(backend, request.get("CapacityReservationId") or missing("id"))
    if reservation.state != "active":
        refuse(
            "IncorrectState",
            f"The capacity reservation '{reservation.reservation_id}' is not in the active state.",
        )
    if reservation.is_block:
        refuse("UnsupportedOperation", "A Capacity Block can't be modified.")
    _check_end(request)
    count = request.get("InstanceCount")
    if count is not None:
        if int(count) < used(backend, reservation):
            invalid(count, "InstanceCount", "More instances than that run in the reservation.")
        more = int(count) - reservation.total
        if more > 0:
            vcpu_quotas.check(backend, reservation.instance_type, more, spot=False)
        reservation.total = int(count)
    if request.get("EndDateType"):
        reservation.end_date_type = str(request["EndDateType"])
        reservation.end_date = None
    if request.get("EndDate"):
        reservation.end_date = request["EndDate"]
        reservation.end_date_type = "limited"
    if request.get("InstanceMatchCriteria"):
        reservation.criteria = str(request["InstanceMatchCriteria"])


def cancel(backend: Any, reservation_id: str | None) -> None:
    """Give capacity back.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CancelCapacityReservation.html
    """
    reservation = find(backend, reservation_id or missing("id"))
    if reservation.is_block:
        refuse("UnsupportedOperation", "A Capacity Block can't be cancelled.")
    reservation.state = "cancelled"


def described(backend: Any, reservation: Reservation) -> dict[str, Any]:
    """A reservation as DescribeCapacityReservations gives it."""
    told = {
        "CapacityReservationId": reservation.reservation_id,
        "OwnerId": backend.account_id,
        "CapacityReservationArn": reservation.arn,
        "InstanceType": reservation.instance_type,
        "InstancePlatform": reservation.platform,
        "AvailabilityZone": reservation.zone,
        "AvailabilityZoneId": reservation.zone_id,
        "Tenancy": reservation.tenancy,
        "TotalInstanceCount": reservation.total,
        "AvailableInstanceCount": available(backend, reservation),
        "EbsOptimized": reservation.ebs_optimized,
        "EphemeralStorage": reservation.ephemeral_storage,
        "State": reservation.state,
        "StartDate": reservation.start_date,
        "CreateDate": reservation.start_date,
        "EndDate": reservation.end_date,
        "EndDateType": reservation.end_date_type,
        "InstanceMatchCriteria": reservation.criteria,
        "ReservationType": reservation.reservation_type,
        "PlacementGroupArn": reservation.placement_group_arn,
        "CapacityBlockId": reservation.capacity_block_id,
        "Tags": tag_set(backend, reservation.reservation_id),
    }
    return {name: value for name, value in told.items() if value not in (None, [])}


def describe(backend: Any, request: Mapping[str, Any], filters: Any) -> list[dict[str, Any]]:
    """Reservations by id and filters."""
    _end_what_is_over(backend)
    ids = request.get("CapacityReservationIds") or [*reservations_of(backend)]
    told = [described(backend, find(backend, reservation_id)) for reservation_id in ids]
    return [
        row
        for row in told
        if passes(
            {
                "instance-type": row["InstanceType"],
                "instance-platform": row["InstancePlatform"],
                "availability-zone": row["AvailabilityZone"],
                "availability-zone-id": row["AvailabilityZoneId"],
                "tenancy": row["Tenancy"],
                "state": row["State"],
                "end-date-type": row["EndDateType"],
                "instance-match-criteria": row["InstanceMatchCriteria"],
                "placement-group-arn": row.get("PlacementGroupArn", ""),
                "reservation-type": row["ReservationType"],
                "tags": backend.tags.get(row["CapacityReservationId"], {}),
            },
            filters,
        )
    ]


def _end_what_is_over(backend: Any) -> None:
    now = datetime.now(UTC)
    for reservation in reservations_of(backend).values():
        end = reservation.end_date
        if reservation.state == "active" and end and _aware(end) <= now:
            reservation.state = "expired"


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def describe_blocks(backend: Any, ids: list[str]) -> list[dict[str, Any]]:
    """Capacity Blocks.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeCapacityBlocks.html
    """
    blocks: list[dict[str, Any]] = []
    for reservation in reservations_of(backend).values():
        if reservation.is_block and (not ids or reservation.capacity_block_id in ids):
            block = {
                "CapacityBlockId": reservation.capacity_block_id,
                "AvailabilityZone": reservation.zone,
                "AvailabilityZoneId": reservation.zone_id,
                "CapacityReservationIds": [reservation.reservation_id],
                "StartDate": reservation.start_date,
                "CreateDate": reservation.start_date,
                "State": reservation.state,
            }
            blocks.append(
                block | ({"EndDate": reservation.end_date} if reservation.end_date else {})
            )
    return blocks


def install() -> None:
    """Give moto's EC2 the operations."""
    from moto.core.responses import ActionResult
    from moto.ec2.responses import EC2Response

    response: Any = EC2Response

    def create_capacity_reservation(self: Any) -> Any:
        self.error_on_dryrun()
        made = create(self.ec2_backend, self.params)
        return ActionResult({"CapacityReservation": described(self.ec2_backend, made)})

    def describe_capacity_reservations(self: Any) -> Any:
        filters = self._filters_from_querystring()
        rows = describe(self.ec2_backend, self.params, filters)
        return ActionResult({"CapacityReservations": rows})

    def modify_capacity_reservation(self: Any) -> Any:
        self.error_on_dryrun()
        modify(self.ec2_backend, self.params)
        return ActionResult({"Return": True})

    def cancel_capacity_reservation(self: Any) -> Any:
        self.error_on_dryrun()
        cancel(self.ec2_backend, self.params.get("CapacityReservationId"))
        return ActionResult({"Return": True})

    def describe_capacity_blocks(self: Any) -> Any:
        ids = self.params.get("CapacityBlockIds") or []
        return ActionResult({"CapacityBlocks": describe_blocks(self.ec2_backend, ids)})

    response.create_capacity_reservation = create_capacity_reservation
    response.describe_capacity_reservations = describe_capacity_reservations
    response.modify_capacity_reservation = modify_capacity_reservation
    response.cancel_capacity_reservation = cancel_capacity_reservation
    response.describe_capacity_blocks = describe_capacity_blocks
