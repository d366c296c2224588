"""What EC2 shows of a cluster now: its instances, and reservations that hold capacity for it.

A list that breaks off keeps what was read of it and is not complete: what is missing from it may
run all the same.

Sources:
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstances.html
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeCapacityReservations.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-lifecycle.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from .asking import ASKING_ERRORS, fault
from .tags import CLUSTER_TAG, NODE_GROUP_TAG

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

RUNNING_STATES = frozenset({"pending", "running"})
"""Billed, or about to be: the launch time is that of `pending`."""

_PAGE = 1000
_TRANSITION = re.compile(r"\((\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}) (?:GMT|UTC)\)")


@dataclass(frozen=True)
class Instance:
    """An instance, as EC2 shows it.

    Attributes:
        instance_id: Its id.
        launched: When it was launched, or last started.
        instance_type: Its type.
        purchase: `on-demand`, `spot` or `capacity-block`.
        node_group: Its node group; empty: it has none.
        runs: Whether it runs or is about to.
        left: When it left these states, where EC2 says so.
    """

    instance_id: str
    launched: datetime
    instance_type: str
    purchase: str
    node_group: str
    runs: bool
    left: datetime | None


@dataclass(frozen=True)
class Reservation:
    """A Capacity Reservation or Capacity Block that is active.

    Attributes:
        reservation_id: Its id.
        instance_type: Of its instances.
        is_block: Whether it is a Capacity Block, whose fee is paid.
        began: When it began to be billed.
        unused: Instances of it that nobody uses.
        billed_here: Whether this account pays for those.
        node_group: Value of its tag for a node group; empty: it has none.
    """

    reservation_id: str
    instance_type: str
    is_block: bool
    began: datetime | None
    unused: int
    billed_here: bool
    node_group: str


@dataclass(frozen=True)
class Sighting:
    """All that EC2 showed.

    Attributes:
        at: When the looking began.
        instances: Those of the cluster, also stopped and terminated ones that EC2 still shows.
        instances_complete: Whether there are no others.
        reservations: The active ones.
        reservations_complete: Whether there are no others.
        faults: What went wrong.
    """

    at: datetime
    instances: tuple[Instance, ...]
    instances_complete: bool
    reservations: tuple[Reservation, ...]
    reservations_complete: bool
    faults: tuple[str, ...] = ()


def look(
    ec2: Any, at: datetime, cluster: str, reservation_ids: Collection[str], account: str
) -> Sighting:
    """Ask EC2.

    Args:
        ec2: Its client.
        at: Now, from before the first question.
        cluster: Whose instances; by tag.
        reservation_ids: Reservations that its node groups name; others are found by tag.
        account: The account, to know whose bill an unused reservation is on.
    """
    by_tag = [{"Name": f"tag:{CLUSTER_TAG}", "Values": [cluster]}]
    launches, broken = _pages(
        ec2.describe_instances, "Reservations", Filters=by_tag, MaxResults=_PAGE
    )
    faults = [fault("ec2:DescribeInstances", broken)] if broken else []
    # A reservation that is gone would fail a question for ids; of another account's no tag is seen.
    active = [{"Name": "state", "Values": ["active"]}]
    reserved, missing = _pages(
        ec2.describe_capacity_reservations,
        "CapacityReservations",
        Filters=active,
        MaxResults=_PAGE,
    )
    faults += [fault("ec2:DescribeCapacityReservations", missing)] if missing else []
    instances = [_instance(told) for launch in launches for told in launch["Instances"]]
    return Sighting(
        at=at,
        instances=tuple({(i.instance_id, i.launched): i for i in instances}.values()),
        instances_complete=broken is None,
        reservations=tuple(
            _reservation(told, account)
            for told in reserved
            if told["CapacityReservationId"] in reservation_ids
            or _tag(told, CLUSTER_TAG) == cluster
        ),
        reservations_complete=missing is None,
        faults=tuple(faults),
    )


def _pages(
    call: Callable[..., Any], key: str, **arguments: Any
) -> tuple[list[dict[str, Any]], Exception | None]:
    """Entries of all pages that came, and what broke the row off."""
    found: list[dict[str, Any]] = []
    while True:
        try:
            answer = call(**arguments)
        except ASKING_ERRORS as error:
            return found, error
        found += answer[key]
        if not answer.get("NextToken"):
            return found, None
        arguments["NextToken"] = answer["NextToken"]


def _instance(told: dict[str, Any]) -> Instance:
    lifecycle = told.get("InstanceLifecycle")
    left = _TRANSITION.search(told.get("StateTransitionReason") or "")
    runs = told["State"]["Name"] in RUNNING_STATES
    return Instance(
        instance_id=told["InstanceId"],
        launched=_utc(told["LaunchTime"]),
        instance_type=told["InstanceType"],
        # Other ways to buy are counted as the dearest of these.
        purchase=lifecycle if lifecycle in ("spot", "capacity-block") else "on-demand",
        node_group=_tag(told, NODE_GROUP_TAG),
        runs=runs,
        left=datetime.strptime(left[1], "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
        if left and not runs
        else None,
    )


def _reservation(told: dict[str, Any], account: str) -> Reservation:
    payer = told.get("UnusedReservationBillingOwnerId") or told.get("OwnerId") or account
    began = told.get("StartDate") or told.get("CreateDate")
    return Reservation(
        reservation_id=told["CapacityReservationId"],
        instance_type=told["InstanceType"],
        is_block=told.get("ReservationType") == "capacity-block",
        began=_utc(began) if began else None,
        unused=int(told.get("AvailableInstanceCount") or 0),
        billed_here=payer == account,
        node_group=_tag(told, NODE_GROUP_TAG),
    )


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(microsecond=0)


def _tag(told: dict[str, Any], key: str) -> str:
    return next((tag["Value"] for tag in told.get("Tags", ()) if tag["Key"] == key), "")
