"""What EC2 refuses of a launch for want of capacity: zone, quota, placement and reservation.

Source: https://docs.aws.amazon.com/autoscaling/ec2/userguide/ts-as-instancelaunchfailure.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from trnkit.emulation.services.ec2 import placement_groups, vcpu_quotas
from trnkit.emulation.services.ec2.capacity_reservations import (
    PLATFORM,
    Reservation,
    available,
    find,
    reservation_groups_of,
    reservations_of,
)
from trnkit.emulation.services.ec2.instance_types import offered_in
from trnkit.emulation.services.ec2.launch_request import Launch
from trnkit.emulation.services.ec2.refusing import refuse


def reserved_for(launch: Launch, count: int) -> list[Reservation | None]:
    """The reservation in which each instance of a launch will run; None: none.

    Raises:
        EC2ClientError: There is no capacity for one of them.
    """
    chosen = _chosen(launch, count)
    outside = chosen.count(None)
    if outside:
        _check_offered(launch)
        vcpu_quotas.check(launch.backend, launch.type_name, outside, spot=launch.market == "spot")
    _check_one_zone(launch)
    return chosen


def _check_offered(launch: Launch) -> None:
    """The zone offers the type.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-discovery.html
    """
    zones = offered_in(launch.type_name, launch.backend.region_name)
    if zones is None or launch.zone.zone_id in zones:
        return
    others = sorted(
        zone.name for zone in launch.backend.describe_availability_zones() if zone.zone_id in zones
    )
    retry = f" or choosing {', '.join(others)}" if others else ""
    refuse(
        "Unsupported",
        f"Your requested instance type ({launch.type_name}) is not supported in your requested "
        f"Availability Zone ({launch.zone.name}). Please retry your request by not specifying an "
        f"Availability Zone{retry}.",
    )


def _check_one_zone(launch: Launch) -> None:
    """A cluster placement group can't span zones.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html
    """
    name, group_id = launch.placement.get("GroupName"), launch.placement.get("GroupId")
    if not name and not group_id:
        return
    group = placement_groups.find(launch.backend, name=name, group_id=group_id)
    zones = {i.placement.zone for i in placement_groups.members(launch.backend, group.name)}
    if group.strategy == "cluster" and zones - {launch.zone.name}:
        refuse(
            "InvalidParameterCombination",
            f"The cluster placement group '{group.name}' has instances in {min(zones)} and can't "
            f"span Availability Zones; {launch.zone.name} was requested.",
        )


def _chosen(launch: Launch, count: int) -> list[Reservation | None]:
    preference = launch.reservation_wish.get("CapacityReservationPreference")
    target: Mapping[str, Any] = launch.reservation_wish.get("CapacityReservationTarget") or {}
    if launch.market == "spot" or preference == "none":
        return [None] * count
    if target:
        wanted = _targets(launch, target)
        return _filled([r for r in wanted if _fits(launch, r)], launch, count)
    open_ones = [
        reservation
        for reservation in reservations_of(launch.backend).values()
        if reservation.criteria == "open" and _fits(launch, reservation)
    ]
    if preference == "capacity-reservations-only":
        return _filled(open_ones, launch, count)
    places = _places(open_ones, launch)[:count]
    return [*places, *[None] * (count - len(places))]


def _targets(launch: Launch, target: Mapping[str, Any]) -> list[Reservation]:
    """The reservations that a launch names.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-launch.html
    """
    if named := target.get("CapacityReservationId"):
        reservation = find(launch.backend, str(named))
        _check_active(reservation)
        _check_kind(launch, reservation)
        return [reservation]
    arn = str(target.get("CapacityReservationResourceGroupArn"))
    groups = reservation_groups_of(launch.backend)
    if arn not in groups:
        refuse(
            "InvalidParameterValue",
            f"The Capacity Reservation resource group '{arn}' does not exist.",
        )
    members = [find(launch.backend, reservation_id) for reservation_id in groups[arn]]
    for reservation in members:
        _check_kind(launch, reservation)
    return members


def _check_active(reservation: Reservation) -> None:
    """The reservation is there to be used.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
    """
    pending = ("scheduled", "payment-pending", "pending", "assessing", "delayed")
    if reservation.is_block and reservation.state in pending:
        refuse(
            "InvalidCapacityReservationState.PendingActivation",
            f"Your Capacity Block reservation {reservation.reservation_id} is not active yet.",
        )
    if reservation.state != "active":
        _refuse_reservation()


def _check_kind(launch: Launch, reservation: Reservation) -> None:
    """A Capacity Block by its market, and by it alone.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html
    """
    if reservation.is_block != (launch.market == "capacity-block"):
        refuse("InvalidParameterValue", "The market type (purchasing) option is not valid.")
    if reservation.is_block and (
        launch.placement.get("GroupName") or launch.placement.get("GroupId")
    ):
        refuse("InvalidParameterCombination", "Capacity Blocks do not support placement groups.")


def _fits(launch: Launch, reservation: Reservation) -> bool:
    """Type, zone, platform, tenancy and placement group are those of the launch."""
    return (
        reservation.instance_type == launch.type_name
        and reservation.zone_id == launch.zone.zone_id
        and reservation.platform == (PLATFORM if not launch.image.platform else "Windows")
        and reservation.tenancy == str(launch.placement.get("Tenancy") or "default")
        and reservation.placement_group_arn in (None, _group_arn(launch))
    )


def _group_arn(launch: Launch) -> str | None:
    """The ARN of the launch's placement group.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html
    """
    name, group_id = launch.placement.get("GroupName"), launch.placement.get("GroupId")
    if not name and not group_id:
        return None
    return placement_groups.find(launch.backend, name=name, group_id=group_id).arn


def _places(reservations: list[Reservation], launch: Launch) -> list[Reservation | None]:
    places: list[Reservation | None] = []
    for reservation in reservations:
        places += [reservation] * available(launch.backend, reservation)
    return places


def _filled(
    reservations: list[Reservation], launch: Launch, count: int
) -> list[Reservation | None]:
    places = _places(reservations, launch)
    if len(places) < count:
        _refuse_reservation()
    return places[:count]


def _refuse_reservation() -> NoReturn:
    refuse(
        "ReservationCapacityExceeded",
        "The requested reservation does not have sufficient compatible and available capacity for "
        "this request.",
    )
