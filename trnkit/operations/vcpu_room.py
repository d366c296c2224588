"""How many vCPUs of a quota are taken, by what runs, waits or is reserved. Plain arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.aws.ec2_capacity import family_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from trnkit.aws.ec2_capacity import ReservationDescription, RunningInstance


@dataclass(frozen=True, slots=True, kw_only=True)
class VcpuUsage:
    """What is taken of a quota.

    Attributes:
        running: By instances outside of reservations.
        reserved: By the account's own reservations, whether used or not.
        waiting: By Spot requests that wait for capacity.
        unknown_types: Types whose vCPUs nobody knows.
    """

    running: int = 0
    reserved: int = 0
    waiting: int = 0
    unknown_types: tuple[str, ...] = ()

    @property
    def certain(self) -> int:
        """What surely counts."""
        return self.running + self.reserved + self.waiting

    def words(self) -> str:
        """In a few words."""
        parts = {"running": self.running, "reserved": self.reserved, "waiting": self.waiting}
        told = [f"{vcpus} {word}" for word, vcpus in parts.items() if vcpus]
        return ", ".join(told) or "nothing running"


def counting_reservations(
    reservations: Iterable[ReservationDescription], families: Collection[str], owner: str
) -> list[ReservationDescription]:
    """Those that count against an account's On-Demand quota.

    Args:
        reservations: All that the account sees; some may be shared with it.
        families: Of the quota.
        owner: The account.
    """
    return [
        reservation
        for reservation in reservations
        if family_of(reservation.instance_type) in families
        and not reservation.is_capacity_block
        and reservation.owner == owner
    ]


def on_demand_usage(
    instances: Iterable[RunningInstance],
    reservations: Iterable[ReservationDescription],
    vcpus: Mapping[str, int],
) -> VcpuUsage:
    """What is taken of an On-Demand quota.

    An instance in a reservation counts with the reservation and not twice; in one that another
    account shares it counts against the owner's quota.
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservation-sharing.html

    Args:
        instances: What runs of the quota's families, without the cluster's own nodes.
        reservations: The account's own ones of these families, without the cluster's own.
        vcpus: Of each type.
    """
    held = [r for r in reservations if not r.is_capacity_block]
    counted = [i for i in instances if i.purchase == "on-demand"]
    outside = [i for i in counted if i.capacity_reservation_id is None]
    types = {i.instance_type for i in outside} | {r.instance_type for r in held}
    return VcpuUsage(
        running=sum(vcpus.get(i.instance_type, 0) for i in outside),
        reserved=sum(r.total * vcpus.get(r.instance_type, 0) for r in held),
        unknown_types=tuple(sorted(types - set(vcpus))),
    )


def spot_usage(
    instances: Iterable[RunningInstance], waiting: Iterable[str], vcpus: Mapping[str, int]
) -> VcpuUsage:
    """What is taken of a Spot quota.

    Args:
        instances: What runs of the quota's families, without the cluster's own nodes.
        waiting: Types of open Spot requests, one for each instance.
        vcpus: Of each type.
    """
    counted = [i.instance_type for i in instances if i.purchase == "spot"]
    waiting = list(waiting)
    return VcpuUsage(
        running=sum(vcpus.get(kind, 0) for kind in counted),
        waiting=sum(vcpus.get(kind, 0) for kind in waiting),
        unknown_types=tuple(sorted({*counted, *waiting} - set(vcpus))),
    )
