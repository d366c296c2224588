"""Prices of Spot instances of a zone, made of what EC2 tells of single changes."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from trnkit.operations.planning.market import SpotHistory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trnkit.aws.ec2_spot import SpotPrice

DAYS = 30


def first_day(now: datetime) -> datetime:
    """From when on prices are asked for."""
    return now - timedelta(days=DAYS)


def spot_histories(
    prices: Iterable[SpotPrice], zone_ids: Mapping[str, str], now: datetime
) -> tuple[SpotHistory, ...]:
    """What a type costs in each zone of a Region.

    Args:
        prices: Every price, in any order.
        zone_ids: Zone name -> id, of the Region's Availability Zones.
        now: The moment of the answer.

    Returns:
        By zone id. Prices of Local Zones and the like are left out.
    """
    by_zone: dict[str, list[SpotPrice]] = defaultdict(list)
    known = frozenset(zone_ids.values())
    for price in prices:
        zone_id = price.zone_id or zone_ids.get(price.zone_name or "", "")
        if zone_id in known:
            by_zone[zone_id].append(price)
    return tuple(_history(zone_id, by_zone[zone_id], now) for zone_id in sorted(by_zone))


def _history(zone_id: str, prices: list[SpotPrice], now: datetime) -> SpotHistory:
    dollars = [price.usd_per_hour for price in prices]
    oldest = now - min(price.since for price in prices)
    # The oldest may be from long before: it was in effect on the first day that was asked for.
    days = min(DAYS, max(1, -(-oldest // timedelta(days=1))))
    return SpotHistory(
        zone_id=zone_id,
        current_usd=max(prices, key=lambda price: price.since).usd_per_hour,
        lowest_usd=min(dollars),
        highest_usd=max(dollars),
        days=days,
    )
