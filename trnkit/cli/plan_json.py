"""How a plan is said to a program: plain JSON values."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from trnkit.operations.planning.market import NodeNeed
    from trnkit.operations.planning.options import Option, Part
    from trnkit.operations.planning.plan import Plan


def plan_json(plan: Plan) -> dict[str, Any]:
    """A plan as plain JSON values.

    Args:
        plan: The plan.
    """
    request = plan.request
    return {
        "file": plan.file.cluster.file if plan.file else None,
        "found": plan.found,
        "asked_at": _time(plan.asked_at),
        "request": request
        and {
            "regions": list(request.regions),
            "needs": [_need(need) for need in request.needs],
            "purchases": sorted(request.purchases),
            "hours": request.hours,
            "start_after": _time(request.earliest),
            "start_before": _time(request.latest),
            "services": list(request.services),
            "data_region": request.data_region,
        },
        "options": [
            _option(number, option, plan.asked_at)
            for number, option in enumerate(plan.options, start=1)
        ],
        "unanswered": [one.as_json() for one in plan.unanswered],
        "remarks": list(plan.remarks),
    }


def _option(number: int, option: Option, asked_at: datetime) -> dict[str, Any]:
    return {
        "rank": number,
        "verdict": option.verdict.value,
        "region": option.region,
        "zone_id": option.zone_id,
        "way": option.way.name,
        "offered": option.offered,
        "quota_room": option.quota_room,
        "quotas": [
            {
                "quota_code": use.quota_code,
                "name": use.name,
                "limit": use.limit,
                "used": use.used,
                "needed": use.needed,
                "room": use.room,
            }
            for use in option.quotas
        ],
        "usd_per_hour": option.usd_per_hour,
        "usd_whole": option.usd_whole,
        "parts": [_part(part, asked_at) for part in option.parts],
        "obstacles": list(option.obstacles),
        "remediable": option.remediable,
        "doubts": list(option.doubts),
        "notes": list(option.notes),
        "commands": list(option.commands),
    }


def _part(part: Part, asked_at: datetime) -> dict[str, Any]:
    spot, block = part.spot, part.block
    return {
        **_need(part.need),
        "purchase": part.purchase,
        "offered": part.offered,
        "chips": part.chips,
        "usd_per_node_hour": part.usd_per_hour,
        "usd_per_chip_hour": part.usd_per_chip_hour,
        "price_source": part.price_source,
        "price_as_of": part.price_as_of and part.price_as_of.isoformat(),
        "has_reservation": part.has_reservation,
        "spot": spot
        and {
            "current_usd": spot.current_usd,
            "lowest_usd": spot.lowest_usd,
            "highest_usd": spot.highest_usd,
            "days": spot.days,
        },
        "placement_score": part.placement_score,
        "block": block
        and {
            "offering_id": block.offering_id,
            "start": _time(block.start),
            "end": _time(block.end),
            "wait_hours": round(max(0.0, (block.start - asked_at).total_seconds() / 3600), 2),
            "hours": block.hours,
            "count": block.count,
            "upfront_usd": block.upfront_usd,
            "ultraserver_type": block.ultraserver_type,
        },
    }


def _need(need: NodeNeed) -> dict[str, Any]:
    return {"group": need.group, "instance_type": need.instance_type, "count": need.count}


def _time(moment: datetime | None) -> str | None:
    return moment and moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
