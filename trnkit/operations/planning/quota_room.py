"""Room in vCPU quotas for all needs of an option together."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure
from trnkit.catalog import find_instance_type
from trnkit.operations.planning.options import QuotaUse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.operations.planning.market import QuotaRoom, RegionMarket
    from trnkit.operations.planning.options import Part, Room


def judge_quotas(
    market: RegionMarket, parts: Sequence[Part], *, stays: bool
) -> tuple[tuple[QuotaUse, ...], Room]:
    """What an option asks of each quota, and whether there is room in all of them.

    Capacity Blocks count against no quota, and neither do nodes of a reservation that is there
    already: it counts since it was made.

    Args:
        market: What AWS said of the Region.
        parts: The needs of the option.
        stays: Whether the cluster, where it is deployed already, stays as it is: its own nodes are
            among those wanted then. Otherwise they run until their successors do.
    """
    told: dict[str, QuotaRoom] = {}
    counting: dict[str, list[Part]] = defaultdict(list)
    unknown = False
    for part in parts:
        if part.purchase == "capacity-block" or part.has_reservation:
            continue
        kind = next(one for one in market.types if one.need == part.need)
        quota = kind.spot_quota if part.purchase == "spot" else kind.on_demand_quota
        if quota is None or isinstance(quota, AwsFailure):
            unknown = True
        else:
            told.setdefault(quota.quota_code, quota)
            counting[quota.quota_code].append(part)
    uses = tuple(_use(room, counting[code], parts, stays) for code, room in told.items())
    answers = {use.room for use in uses}
    if "no" in answers:
        return uses, "no"
    if unknown or "unknown" in answers:
        return uses, "unknown"
    return uses, "yes" if uses else "not needed"


def _use(room: QuotaRoom, counting: Sequence[Part], parts: Sequence[Part], stays: bool) -> QuotaUse:
    return QuotaUse(
        quota_code=room.quota_code,
        name=room.name,
        limit=room.limit,
        used=room.used - room.own if stays else room.used,
        needed=_needed(room, counting, parts),
        own=0 if stays else room.own,
    )


def _needed(room: QuotaRoom, counting: Sequence[Part], parts: Sequence[Part]) -> int | None:
    """VCPUs of the parts that count; `room.needed` is of all needs, however they are bought."""
    if room.needed is None or len(counting) == len(parts):
        return room.needed
    total = 0
    for part in counting:
        known = find_instance_type(part.need.instance_type)
        if known is None or known.vcpus is None:
            # With all of it there is room, or nobody knows.
            return room.needed if room.has_room else None
        total += known.vcpus * part.need.count
    return total
