"""What AWS might say of Regions, made by hand."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from trnkit.aws.ec2 import ZoneDescription
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.operations.planning.market import (
    BlockOffering,
    NodeNeed,
    Price,
    QuotaRoom,
    RegionMarket,
    SpotHistory,
    TypeMarket,
)
from trnkit.operations.planning.options import Way
from trnkit.operations.planning.ranking import Wanted
from trnkit.operations.planning.request import PlanRequest

NOW = datetime(2026, 11, 30, 17, 30, tzinfo=UTC)
NEED = NodeNeed(instance_type="trn2.48xlarge", count=4)
ZONES = {"us-east-2": ("use2-az1", "use2-az3"), "us-west-2": ("usw2-az4",)}


def failure(
    operation: str,
    region: str = "us-east-2",
    kind: FailureKind = FailureKind.DENIED,
    service: str = "ec2",
) -> AwsFailure:
    """AWS gave no answer."""
    denied = kind is FailureKind.DENIED
    permission = f"{service}:{operation}" if denied else None
    remedy = f"let the role or user call {permission}" if denied else "try again later"
    message = f"{service} {operation} in {region} {kind}; {remedy}"
    return AwsFailure(
        kind,
        message,
        service=service,
        operation=operation,
        region=region,
        code="X",
        permission=permission,
    )


def price(usd: float) -> Price:
    """A price of AWS's list."""
    return Price(usd_per_hour=usd, source="AWS Price List", as_of=date(2026, 11, 1))


def quota(
    limit: float = 1000, used: int = 0, needed: int | None = 768, code: str = "L-2C3B7624"
) -> QuotaRoom:
    """A vCPU quota; `needed` is of all needs."""
    name = "Running On-Demand Trn instances"
    return QuotaRoom(quota_code=code, name=name, limit=limit, used=used, needed=needed)


def spot(zone: str, current: float, low: float = 1.0, high: float = 9.0) -> SpotHistory:
    """Spot prices of thirty days."""
    return SpotHistory(zone_id=zone, current_usd=current, lowest_usd=low, highest_usd=high, days=30)


def block(
    zone: str = "use2-az3",
    *,
    fee: float | None = 24_000.0,
    days: int = 1,
    start: datetime | None = None,
    count: int = 4,
    offering: str = "cb-0123456789abcdef0",
) -> BlockOffering:
    """A Capacity Block on sale."""
    begin = start or datetime(2026, 12, 2, 11, 30, tzinfo=UTC)
    return BlockOffering(
        offering_id=offering,
        zone_id=zone,
        start=begin,
        end=begin + timedelta(days=days),
        hours=24 * days,
        count=count,
        upfront_usd=fee,
    )


def kind(need: NodeNeed = NEED, **changes: Any) -> TypeMarket:
    """What AWS said of a type; offered in one zone and with room, unless told otherwise."""
    told: dict[str, Any] = {
        "need": need,
        "offered": frozenset({"use2-az3"}),
        "on_demand": price(40.0),
        "spot": (spot("use2-az3", 10.0),),
        "placement_scores": {"use2-az3": 3},
        "blocks": (block(),),
        "on_demand_quota": quota(),
        "spot_quota": quota(code="L-6B0D517C"),
    }
    return TypeMarket(**{**told, **changes})


def market(region: str = "us-east-2", *types: TypeMarket, **changes: Any) -> RegionMarket:
    """What AWS said of a Region."""
    zones = tuple(
        ZoneDescription(zone_id=zone, zone_name=f"{region}{letter}", state="available")
        for zone, letter in zip(ZONES.get(region, ("x-az1",)), "abc", strict=False)
    )
    told: dict[str, Any] = {
        "region": region,
        "zones": zones,
        "services": {},
        "types": types or (kind(),),
        "seconds": 0.5,
    }
    return RegionMarket(**{**told, **changes})


def wanted(*purchases: str, needs: tuple[NodeNeed, ...] = (NEED,), **changes: Any) -> Wanted:
    """What options are judged by."""
    ways: Any = tuple(Way(name=one, purchases=(one,) * len(needs)) for one in purchases)
    ways = changes.pop("ways", ways)
    judged_by = {key: changes.pop(key) for key in ("reserved", "standing") if key in changes}
    told: dict[str, Any] = {
        "regions": ("us-east-2",),
        "needs": needs,
        "purchases": frozenset(name for way in ways for name in way.purchases),
        "hours": 24,
    }
    return Wanted(request=PlanRequest(**{**told, **changes}), ways=ways, asked_at=NOW, **judged_by)
