"""EC2: what runs, what waits for Spot capacity, and what is reserved."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal

from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

DESCRIBE_INSTANCES = ReadOperation(
    service="ec2",
    name="DescribeInstances",
    permission="ec2:DescribeInstances",
    purpose="what runs already and counts against a quota or a reservation",
)
DESCRIBE_SPOT_INSTANCE_REQUESTS = ReadOperation(
    service="ec2",
    name="DescribeSpotInstanceRequests",
    permission="ec2:DescribeSpotInstanceRequests",
    purpose="open requests, which count against the Spot quota",
)
DESCRIBE_CAPACITY_RESERVATIONS = ReadOperation(
    service="ec2",
    name="DescribeCapacityReservations",
    permission="ec2:DescribeCapacityReservations",
    purpose="kind, place, time and free instances of a reservation or Capacity Block",
)

_PAGE_SIZE = 1000

Purchase = Literal["on-demand", "spot", "capacity-block", "other"]
_PURCHASES: dict[str | None, Purchase] = {
    None: "on-demand",
    "spot": "spot",
    "capacity-block": "capacity-block",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningInstance:
    """An instance that is running, or about to.

    Attributes:
        instance_type: Its type.
        purchase: How it is bought.
        capacity_reservation_id: The reservation it runs in.
        subnet_id: Where it is.
        tags: Its tags.
    """

    instance_type: str
    purchase: Purchase
    capacity_reservation_id: str | None
    subnet_id: str | None
    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservationDescription:
    """A Capacity Reservation or Capacity Block; None where EC2 says nothing.

    Attributes:
        reservation_id: `cr-...`.
        owner: The account that it belongs to.
        is_capacity_block: Whether it is a Capacity Block.
        instance_type: Its type.
        platform: For example `Linux/UNIX`.
        zone_id: Its zone's id.
        zone_name: Its zone's name in the account.
        tenancy: `default` or `dedicated`.
        total: Instances reserved.
        available: Instances of these that nobody uses.
        state: For example `active`.
        start: When it begins.
        end: When it ends.
        match_criteria: `open` or `targeted`.
        placement_group_arn: The placement group that it was made in. Consumers of a shared one are
            not told when the placement group is not shared too.
        is_interruptible: Whether its owner may take its instances back.
        launch_status: `launchable` or `unlaunchable`, of UltraServers only.
        commitment_end: Until when it cannot be cancelled, where it was made for a later date.
        tags: Its tags.
    """

    reservation_id: str
    owner: str | None
    is_capacity_block: bool
    instance_type: str
    platform: str | None
    zone_id: str | None
    zone_name: str | None
    tenancy: str | None
    total: int
    available: int
    state: str
    start: datetime | None
    end: datetime | None
    match_criteria: str | None
    placement_group_arn: str | None
    is_interruptible: bool
    launch_status: str | None
    commitment_end: datetime | None
    tags: Mapping[str, str]

    @property
    def placement_group_name(self) -> str | None:
        """The name of the placement group that it was made in."""
        arn = self.placement_group_arn
        return arn.rpartition("placement-group/")[2] if arn else None


class Ec2CapacityGateway(Gateway):
    """Describes what one account uses of one Region's capacity."""

    service = "ec2"
    operations = (
        DESCRIBE_INSTANCES,
        DESCRIBE_SPOT_INSTANCE_REQUESTS,
        DESCRIBE_CAPACITY_RESERVATIONS,
    )

    def running(self, families: Sequence[str]) -> tuple[RunningInstance, ...]:
        """What runs of families of instance types; what is about to run too.

        Args:
            families: The letters before the generation: `trn` stands for trn1, trn1n, trn2.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        # Types are chosen here and not by a filter: a pattern that matched nothing would look like
        # an account in which nothing runs.
        reservations = self._ask_all(
            DESCRIBE_INSTANCES,
            "Reservations",
            Filters=[{"Name": "instance-state-name", "Values": ["pending", "running"]}],
            PaginationConfig={"PageSize": _PAGE_SIZE},
        )
        return tuple(
            RunningInstance(
                instance_type=instance["InstanceType"],
                purchase=_PURCHASES.get(instance.get("InstanceLifecycle"), "other"),
                capacity_reservation_id=instance.get("CapacityReservationId"),
                subnet_id=instance.get("SubnetId"),
                tags=_tags(instance),
            )
            for reservation in reservations
            for instance in reservation["Instances"]
            if family_of(instance["InstanceType"]) in families
        )

    def open_spot_requests(self, families: Sequence[str]) -> tuple[str, ...]:
        """The instance types of Spot requests that wait for capacity, one for each instance.

        Args:
            families: As for `running`.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask_all(
            DESCRIBE_SPOT_INSTANCE_REQUESTS,
            "SpotInstanceRequests",
            Filters=[{"Name": "state", "Values": ["open"]}],
            PaginationConfig={"PageSize": _PAGE_SIZE},
        )
        types = [request["LaunchSpecification"]["InstanceType"] for request in told]
        return tuple(kind for kind in types if family_of(kind) in families)

    def reservation(self, reservation_id: str) -> ReservationDescription | None:
        """Describe a reservation, of the account or shared with it.

        Args:
            reservation_id: `cr-...`.

        Raises:
            AwsFailure: AWS gave no answer, or the account sees no such reservation.

        Returns:
            None when AWS answers with none.
        """
        told = self._ask(
            DESCRIBE_CAPACITY_RESERVATIONS,
            about=reservation_id,
            CapacityReservationIds=[reservation_id],
        )
        found = told.get("CapacityReservations", ())
        return _reservation(found[0]) if found else None

    def live_reservations(self) -> tuple[ReservationDescription, ...]:
        """Every reservation that is active or about to be, and counts against a quota.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask_all(
            DESCRIBE_CAPACITY_RESERVATIONS,
            "CapacityReservations",
            Filters=[{"Name": "state", "Values": ["active", "pending"]}],
        )
        return tuple(map(_reservation, told))


def family_of(instance_type: str) -> str:
    """The letters before the generation: `trn` of `trn2.48xlarge` and `trn1n.32xlarge`."""
    return "".join(takewhile(str.isalpha, instance_type))


def _tags(described: dict[str, Any]) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in described.get("Tags", ())}


def _reservation(told: dict[str, Any]) -> ReservationDescription:
    return ReservationDescription(
        reservation_id=told["CapacityReservationId"],
        owner=told.get("OwnerId"),
        is_capacity_block=told.get("ReservationType") == "capacity-block",
        instance_type=told["InstanceType"],
        platform=told.get("InstancePlatform"),
        zone_id=told.get("AvailabilityZoneId"),
        zone_name=told.get("AvailabilityZone"),
        tenancy=told.get("Tenancy"),
        total=told["TotalInstanceCount"],
        available=told["AvailableInstanceCount"],
        state=told["State"],
        start=told.get("StartDate"),
        end=told.get("EndDate"),
        match_criteria=told.get("InstanceMatchCriteria"),
        placement_group_arn=told.get("PlacementGroupArn"),
        is_interruptible=told.get("Interruptible", False),
        launch_status=told.get("LaunchStatus"),
        commitment_end=told.get("CommitmentInfo", {}).get("CommitmentEndDate"),
        tags=_tags(told),
    )
