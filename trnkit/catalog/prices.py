"""What an instance costs per hour, where a source says so. Unknown is None, never zero.

Spot prices change by the minute and are no facts. A Capacity Block is paid when it is bought,
whether it is used or not; its price per hour is for comparing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from trnkit.catalog.disagreements import Disagreement, disagreements_from
from trnkit.catalog.tables import table

Purchase = Literal["on-demand", "capacity-block"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InstancePrice:
    """The list price of one instance type, bought in one way.

    Attributes:
        instance_type: The EC2 name of the type.
        purchase: `on-demand` or `capacity-block`.
        regions: Regions in which a source shows this price; empty when none is published.
        usd_per_hour: US dollars per instance hour (Linux); None when no price is published.
        disagreements: Where sources differ.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    instance_type: str
    purchase: Purchase
    regions: tuple[str, ...]
    usd_per_hour: float | None
    disagreements: tuple[Disagreement, ...]
    source: tuple[str, ...]
    date: str


@cache
def instance_prices() -> tuple[InstancePrice, ...]:
    """Return every price in the catalogue, also those known not to be published."""
    return tuple(price_from(entry) for entry in table("prices")["instance_prices"])


def price_from(entry: dict[str, Any]) -> InstancePrice:
    """Read one entry of a table of prices."""
    values = dict(entry)
    disagreements = disagreements_from(values.pop("disagreements"))
    return InstancePrice(disagreements=disagreements, **values)


def find_instance_price(
    instance_type: str, region: str, purchase: Purchase = "on-demand"
) -> InstancePrice | None:
    """Return the price of an instance type in a Region.

    Args:
        instance_type: The EC2 name of the type.
        region: The Region's name.
        purchase: `on-demand` or `capacity-block`.

    Returns:
        None when the price is not known: no source shows one for that Region.
    """
    for price in instance_prices():
        is_it = price.instance_type == instance_type and price.purchase == purchase
        if is_it and region in price.regions and price.usd_per_hour is not None:
            return price
    return None


def hourly_price(instance_type: str, region: str, purchase: Purchase = "on-demand") -> float | None:
    """Return US dollars per instance hour, or None when no source shows a price."""
    price = find_instance_price(instance_type, region, purchase)
    return price.usd_per_hour if price else None
