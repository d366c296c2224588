"""Where the instances of a launch template come from, as its market and reservation options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from aws_cdk import aws_ec2 as ec2

from constructs_lib.arguments import number, one_of, text
from trnkit.config.values import CapacityReservationId, ResourceGroupArn
from trnkit.errors import ConstructError

_Data = ec2.CfnLaunchTemplate
_MARKET_TYPES = ("capacity-block", "spot")
_PREFERENCES = ("open", "none", "capacity-reservations-only")


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCapacity:
    """Where instances come from. Make one with a class method; none of them is `on-demand`.

    A Capacity Block needs its market type and its target, an On-Demand Capacity Reservation its
    target and no market type. Ids of the two look alike, so the caller says which it is.

    Sources:
        https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html
        https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservationSpecification.html

    Attributes:
        market_type: `capacity-block`, `spot`, or None.
        capacity_reservation_id: The targeted reservation.
        resource_group_arn: The targeted group of reservations.
        preference: `open`, `none`, `capacity-reservations-only`, or None for EC2's default.
        max_price_usd: The most to pay for a Spot instance hour.
    """

    market_type: Literal["capacity-block", "spot"] | None = None
    capacity_reservation_id: str | None = None
    resource_group_arn: str | None = None
    preference: Literal["open", "none", "capacity-reservations-only"] | None = None
    max_price_usd: float | None = None

    def __post_init__(self) -> None:
        """Refuse combinations that EC2 refuses.

        Raises:
            ConstructError: Two targets, a block without one, or a value of another form.
        """
        one_of("market_type", self.market_type, _MARKET_TYPES, optional=True)
        one_of("preference", self.preference, _PREFERENCES, optional=True)
        given, group = self.capacity_reservation_id, self.resource_group_arn
        text("capacity_reservation_id", given, CapacityReservationId, optional=True)
        text("resource_group_arn", group, ResourceGroupArn, optional=True)
        number("max_price_usd", self.max_price_usd, above=0, optional=True)
        targets = [t for t in (self.capacity_reservation_id, self.resource_group_arn) if t]
        if len(targets) > 1:
            raise ConstructError(
                "capacity: name either a reservation's id or a resource group, got both"
            )
        if self.market_type == "capacity-block" and not targets:
            raise ConstructError(
                "capacity: a Capacity Block must be named by its id or a resource group, got none"
            )
        if self.market_type == "spot" and targets:
            raise ConstructError("capacity: Spot instances cannot use a reservation, got a target")

    @classmethod
    def capacity_block(
        cls, *, capacity_reservation_id: str | None = None, resource_group_arn: str | None = None
    ) -> NodeCapacity:
        """A Capacity Block for ML: exactly one of both arguments.

        Args:
            capacity_reservation_id: The block's reservation.
            resource_group_arn: A resource group of reservations, as UltraServer blocks need it.
        """
        return cls(
            market_type="capacity-block",
            capacity_reservation_id=capacity_reservation_id,
            resource_group_arn=resource_group_arn,
        )

    @classmethod
    def on_demand_reservation(
        cls, *, capacity_reservation_id: str | None = None, resource_group_arn: str | None = None
    ) -> NodeCapacity:
        """An On-Demand Capacity Reservation; without arguments any open one that matches.

        Targeted nodes start in the reservation or not at all.

        Args:
            capacity_reservation_id: The reservation.
            resource_group_arn: A resource group of reservations.
        """
        targeted = bool(capacity_reservation_id or resource_group_arn)
        return cls(
            capacity_reservation_id=capacity_reservation_id,
            resource_group_arn=resource_group_arn,
            preference="capacity-reservations-only" if targeted else "open",
        )

    @classmethod
    def spot(cls, *, max_price_usd: float | None = None) -> NodeCapacity:
        """Spot instances, terminated when EC2 takes them back.

        Args:
            max_price_usd: The most to pay for an instance hour. None pays the current price.
        """
        return cls(market_type="spot", max_price_usd=max_price_usd)

    def market_options(self) -> Any:
        """The template's `InstanceMarketOptions`, or None."""
        if self.market_type is None:
            return None
        price = self.max_price_usd
        return _Data.InstanceMarketOptionsProperty(
            market_type=self.market_type,
            spot_options=_Data.SpotOptionsProperty(
                spot_instance_type="one-time",
                instance_interruption_behavior="terminate",
                max_price=None if price is None else f"{price:f}".rstrip("0").rstrip("."),
            )
            if self.market_type == "spot"
            else None,
        )

    def reservation_specification(self) -> Any:
        """The template's `CapacityReservationSpecification`, or None."""
        targeted = self.capacity_reservation_id or self.resource_group_arn
        if not targeted and self.preference is None:
            return None
        return _Data.CapacityReservationSpecificationProperty(
            capacity_reservation_preference=self.preference,
            capacity_reservation_target=_Data.CapacityReservationTargetProperty(
                capacity_reservation_id=self.capacity_reservation_id,
                capacity_reservation_resource_group_arn=self.resource_group_arn,
            )
            if targeted
            else None,
        )
