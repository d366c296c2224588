"""`capacity` and `placement` of a node group: where instances come from, how close they are."""

from __future__ import annotations

from typing import Literal

from trnkit.config.values import (
    Bool,
    CapacityReservationId,
    Int,
    Number,
    PlacementGroupName,
    ResourceGroupArn,
    Section,
    UtcTime,
    setting,
)

CapacityType = Literal["on-demand", "spot", "capacity-block", "on-demand-reservation"]


class NewReservationConfig(Section):
    """An On-Demand Capacity Reservation that the cluster makes: give `end_date` or `unlimited`."""

    end_date: UtcTime | None = setting(
        None,
        change="in place",
        example="2027-03-31T18:00:00Z",
        description="When the reservation ends, in UTC. It bills until then, used or not.",
    )
    unlimited: Bool = setting(
        False,
        change="in place",
        description="`true` acknowledges that the reservation bills, used or not, until somebody "
        "deletes it.",
    )
    instance_match_criteria: Literal["targeted", "open"] = setting(
        "targeted",
        change="in place",
        description="`targeted`: for this group's nodes alone. `open`: also for any other matching "
        "instance of the account.",
    )


class CapacityConfig(Section):
    """Where the instances come from. Which keys belong to which type is in their descriptions."""

    type: CapacityType = setting(
        "on-demand",
        change="new nodes only",
        description="`on-demand`: ordinary instances, as the account's quota allows. `spot`: spare "
        "capacity that EC2 may take back. `capacity-block`: a Capacity Block for ML, bought "
        "before. `on-demand-reservation`: an On-Demand Capacity Reservation, yours or a new one.",
    )
    capacity_reservation_id: CapacityReservationId | None = setting(
        None,
        change="new nodes only",
        example="cr-0123456789abcdef0",
        description="For `capacity-block` and `on-demand-reservation`: the reservation. Ids of "
        "both kinds look alike, so `type` must say which it is.",
    )
    capacity_reservation_resource_group_arn: ResourceGroupArn | None = setting(
        None,
        change="new nodes only",
        example="arn:aws:resource-groups:us-east-2:111122223333:group/my-reservations",
        description="Instead of an id: a resource group of reservations. UltraServer Capacity "
        "Blocks need one.",
    )
    start: UtcTime | None = setting(
        None,
        example="2027-03-01T11:30:00Z",
        description="For `capacity-block`: when the block begins, in UTC. The group has no node "
        "before.",
    )
    end: UtcTime | None = setting(
        None,
        example="2027-03-08T11:30:00Z",
        description="For `capacity-block`: when the block ends, in UTC, always at 11:30. The group "
        "is scaled in to 0 before EC2 begins to terminate instances.",
    )
    launch: Literal["at-start", "with-deployment"] = setting(
        "at-start",
        description="For `capacity-block`. `at-start`: nodes start when the block does. "
        "`with-deployment`: nodes start at once, because the block is active already; Auto Scaling "
        "refuses a schedule in the past.",
    )
    scale_in_margin_minutes: Int | None = setting(
        None,
        ge=1,
        le=1440,
        description="For `capacity-block`: how long before EC2 begins to terminate instances the "
        "group is scaled in to 0. Left out: as EKS does it (10 minutes).",
    )
    checkpoint_minutes: Int | None = setting(
        None,
        ge=1,
        le=1440,
        description="For `capacity-block`: how long before the group is scaled in its nodes are "
        "told to write a checkpoint and stop work. Left out: they are not told.",
    )
    create: NewReservationConfig | None = setting(
        None,
        change="new nodes only",
        description="For `on-demand-reservation`, instead of an id: make a reservation of `count` "
        "instances. It bills from the deployment on, used or not.",
    )
    capacity_reservation_preference: Literal["open", "none"] | None = setting(
        None,
        change="new nodes only",
        description="For `on-demand`: `open` uses any open reservation that matches, `none` leaves "
        "it idle. Left out: EC2's default, which is `open`.",
    )
    max_price_usd: Number | None = setting(
        None,
        gt=0,
        le=10_000,
        change="new nodes only",
        description="For `spot`: the most to pay for an instance hour, in USD. Left out: the "
        "current Spot price, with fewer interruptions.",
    )
    instance_interruption_behavior: Literal["terminate", "stop", "hibernate"] | None = setting(
        None,
        change="new nodes only",
        description="For `spot`: what EC2 does to an instance it takes back. Left out: "
        "`terminate`, the only one that Auto Scaling's one-time requests can have.",
    )


class PlacementConfig(Section):
    """The placement group of a node group."""

    cluster: Bool | None = setting(
        None,
        change="new nodes only",
        description="`true`: a new cluster placement group. `false`: none. Left out: a new one for "
        "EFA nodes, none with a Capacity Block or a reservation. With `capacity.create` and `true` "
        "the reservation is made inside the new group.",
    )
    group_name: PlacementGroupName | None = setting(
        None,
        change="new nodes only",
        example="my-placement-group",
        description="An existing placement group, by name or ARN: the one that a reservation was "
        "made in.",
    )
