"""TRN906: the vCPU quotas have room for what the file asks."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from trnkit.aws.ec2_capacity import (
    DESCRIBE_CAPACITY_RESERVATIONS,
    DESCRIBE_INSTANCES,
    DESCRIBE_SPOT_INSTANCE_REQUESTS,
    family_of,
)
from trnkit.aws.failures import AwsFailure
from trnkit.aws.instance_types import DESCRIBE_INSTANCE_TYPES
from trnkit.aws.service_quotas import GET_AWS_DEFAULT_SERVICE_QUOTA, GET_SERVICE_QUOTA
from trnkit.aws.sts import GET_CALLER_IDENTITY
from trnkit.catalog import quota_for
from trnkit.layout.vcpu_demand import group_demands
from trnkit.layout.zones import compute_zone_id
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.quota_room import (
    LARGER_QUOTA,
    Demand,
    ask_limit,
    judge,
)
from trnkit.operations.preflight.result import CheckResult, ok, unanswered, unknown
from trnkit.operations.vcpu_room import (
    VcpuUsage,
    counting_reservations,
    on_demand_usage,
    spot_usage,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trnkit.aws.ec2_capacity import ReservationDescription
    from trnkit.catalog import Quota
    from trnkit.layout.vcpu_demand import GroupDemand
    from trnkit.operations.preflight.account import AccountView

_QUOTA_NAMES = {"on-demand": "Running On-Demand", "spot": "Spot Instance Requests"}
"""What the names of all vCPU quotas have in them."""


def _run(account: AccountView) -> Iterator[CheckResult]:
    by_quota: dict[Quota, list[GroupDemand]] = defaultdict(list)
    for demand in group_demands(account.cluster):
        quota = quota_for(demand.instance_type, demand.purchase)
        if quota is None:
            yield unknown(
                f"node group {demand.name}: the catalogue knows no {demand.purchase} quota for "
                f"{demand.instance_type}",
                remedy="compare with the quota that the console shows",
                look="aws service-quotas list-service-quotas --service-code ec2 --region "
                f'{account.cluster.region} --query "Quotas[?contains(QuotaName, '
                f"'{_QUOTA_NAMES[demand.purchase]}')].[QuotaCode,QuotaName,Value]\" --output text",
                path=("compute", "node_groups", demand.index),
            )
        else:
            by_quota[quota].append(demand)
    for quota, demands in by_quota.items():
        try:
            yield _in_quota(account, quota, demands)
        except AwsFailure as failure:
            yield unanswered(failure, path=_path(demands))
    if not by_quota:
        yield ok("no node group counts against a vCPU quota")


def _in_quota(account: AccountView, quota: Quota, demands: Sequence[GroupDemand]) -> CheckResult:
    instances = [
        instance
        for instance in account.running()
        if family_of(instance.instance_type) in quota.families and not account.is_own(instance.tags)
    ]
    reservations: list[ReservationDescription] = []
    waiting: tuple[str, ...] = ()
    if quota.purchase == "spot":
        waiting = account.capacity.open_spot_requests(quota.families)
    else:
        reservations = _counting(account, quota)
    asked_types = {demand.instance_type for demand in demands}
    vcpus = account.vcpus(
        asked_types
        | {instance.instance_type for instance in instances}
        | {reservation.instance_type for reservation in reservations}
        | set(waiting)
    )
    if missing := sorted(asked_types - set(vcpus)):
        return unknown(
            f"nobody knows how many vCPUs {', '.join(missing)} has in {account.cluster.region}",
            remedy="describe the type in instance_types_file",
            path=_path(demands),
        )
    if quota.purchase == "spot":
        usage = spot_usage(instances, waiting, vcpus)
    else:
        usage = on_demand_usage(instances, reservations, vcpus)
    asked = sum(demand.count * vcpus[demand.instance_type] for demand in demands)
    room = _room_in_reservations(account, demands, vcpus)
    return _judge(account, quota, demands, usage=usage, asked=asked, room=room)


def _counting(account: AccountView, quota: Quota) -> list[ReservationDescription]:
    """The account's own reservations that count against a quota, without the cluster's own."""
    whose = account.caller(account.cluster.region).account
    seen = account.live_reservations()
    counting = counting_reservations(seen, quota.families, whose)
    return [reservation for reservation in counting if not account.is_own(reservation.tags)]


def _room_in_reservations(
    account: AccountView, demands: Sequence[GroupDemand], vcpus: dict[str, int]
) -> int:
    """VCPUs of nodes that find a place in an open reservation, which counts already.

    One that another account shares is taken as the account's own are, and counts for its owner.
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservation-sharing.html
    """
    zone_id = compute_zone_id(account.cluster)
    takers = [demand for demand in demands if demand.takes_open_reservations]
    if not takers:
        return 0
    # Nodes of the cluster that run there already have their place.
    own: dict[str | None, int] = defaultdict(int)
    for instance in account.running():
        own[instance.capacity_reservation_id] += account.is_own(instance.tags)
    free: dict[tuple[str, str | None], int] = defaultdict(int)
    for reservation in account.live_reservations():
        if (
            reservation.match_criteria == "open"
            and reservation.state == "active"
            and reservation.zone_id == zone_id
            and reservation.tenancy == "default"
            and reservation.platform == "Linux/UNIX"
            and not reservation.is_capacity_block
            and not reservation.is_interruptible
            and not account.is_own(reservation.tags)
        ):
            places = reservation.available + own[reservation.reservation_id]
            free[reservation.instance_type, reservation.placement_group_name] += places
    room = 0
    for demand in takers:
        without = demand.count
        # One made in a placement group is for nodes of that group; any other is for all.
        for made_in in dict.fromkeys((demand.placement_group, None)):
            taken = min(without, free[demand.instance_type, made_in])
            free[demand.instance_type, made_in] -= taken
            without -= taken
        room += (demand.count - without) * vcpus[demand.instance_type]
    return room


def _judge(
    account: AccountView,
    quota: Quota,
    demands: Sequence[GroupDemand],
    *,
    usage: VcpuUsage,
    asked: int,
    room: int,
) -> CheckResult:
    names = ", ".join(demand.name for demand in demands)
    verb = "asks" if len(demands) == 1 else "ask"
    asks, path = f"{names} {verb} for {asked} {quota.purchase} vCPUs", _path(demands)
    if room >= asked:
        return ok(f"{asks}, and open reservations have room for all of them", path=path)
    if room:
        asks = f"{asks}, {room} of which have room in open reservations"
    limit = ask_limit(account, quota, asks=asks, path=path)
    if isinstance(limit, CheckResult):
        return limit
    uncounted = (
        unknown(
            f"{asks}; what runs of {', '.join(usage.unknown_types)} takes vCPUs that nobody knows",
            remedy="describe the type in instance_types_file",
            path=path,
        )
        if usage.unknown_types
        else None
    )
    demand = Demand(
        asks=asks,
        asked=asked - room,
        certain=usage.certain,
        counted=f"{usage.words()} beside this cluster",
        uncounted=uncounted,
    )
    return judge(limit, demand, path=path, remedy=f"{LARGER_QUOTA}, or for fewer nodes")


def _path(demands: Sequence[GroupDemand]) -> tuple[str | int, ...]:
    return ("compute", "node_groups", demands[0].index, "count")


CHECK = PreflightCheck(
    id="TRN906",
    name="vcpu-quota",
    title="The vCPU quotas have room for all nodes, beside what runs already",
    why="Auto Scaling's launches fail with VcpuLimitExceeded; the deployment succeeds and nodes "
    "are missing. Counted are instances that run, Spot requests that wait and reservations of the "
    "account, without this cluster's own; Capacity Blocks and nodes of a reservation made before "
    "need no further quota. No deployment replaces nodes, so that none count twice.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-on-demand-instances.html",
    needs=(
        GET_CALLER_IDENTITY,
        GET_SERVICE_QUOTA,
        GET_AWS_DEFAULT_SERVICE_QUOTA,
        DESCRIBE_INSTANCES,
        DESCRIBE_SPOT_INSTANCE_REQUESTS,
        DESCRIBE_CAPACITY_RESERVATIONS,
        DESCRIBE_INSTANCE_TYPES,
    ),
    run=_run,
)
