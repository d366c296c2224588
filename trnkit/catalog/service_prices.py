"""What units of AWS services cost, where a source says so. Unknown is absent, never zero.

A price is the list price of the first tier, in US dollars, without free allowances of an account,
without taxes and without what an organization has negotiated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from trnkit.catalog.disagreements import Disagreement, disagreements_from
from trnkit.catalog.tables import table

EVERY_REGION = "*"
"""In place of Regions: AWS has one price for all of them."""


class UnknownServiceItemError(LookupError):
    """The catalogue has no such item: a slip in the code that asks, not a price that is unknown.

    Attributes:
        key: The key that was asked for.
        nearest: At most three known keys that resemble it, the closest first.
    """

    def __init__(self, key: str, nearest: tuple[str, ...]) -> None:
        """Keep both; the message names the nearest keys only."""
        self.key = key
        self.nearest = nearest
        hint = f" (nearest: {', '.join(nearest)})" if nearest else ""
        super().__init__(f"item {key!r} is not in the catalogue of prices{hint}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServicePrice:
    """The list price of one item in some Regions.

    Attributes:
        item: Key of the item.
        regions: Regions in which a source shows this price; `EVERY_REGION` alone: in all.
        usd_per_unit: US dollars for one unit.
        disagreements: Where sources differ.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    item: str
    regions: tuple[str, ...]
    usd_per_unit: float
    disagreements: tuple[Disagreement, ...]
    source: tuple[str, ...]
    date: str

    def is_for(self, region: str) -> bool:
        """Whether this is the price in a Region."""
        return region in self.regions or self.regions == (EVERY_REGION,)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceItem:
    """One thing that AWS counts and bills.

    Attributes:
        key: Its name in this project, for example `ebs-gp3-storage`.
        service: The service, as AWS calls it.
        unit: What is counted: `hour`, `GB-month`, `request`...
        meaning: What is counted and what is not, in words; also which tier the price is of.
        prices: Its known prices; empty where no source shows one.
        source: Keys of the sources for what is counted.
        date: Day the entry was last compared with its sources.
    """

    key: str
    service: str
    unit: str
    meaning: str
    prices: tuple[ServicePrice, ...]
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeItem:
    """Something that a cluster has and AWS does not bill.

    Attributes:
        key: Its name in this project, for example `s3-gateway-endpoint`.
        service: The service, as AWS calls it.
        meaning: What costs nothing, and what beside it does.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    key: str
    service: str
    meaning: str
    source: tuple[str, ...]
    date: str


@cache
def service_items() -> tuple[ServiceItem, ...]:
    """Return every item that can be billed, also those whose price nobody shows."""
    return tuple(_item(entry) for entry in table("service_prices")["items"])


@cache
def free_items() -> tuple[FreeItem, ...]:
    """Return what a cluster has and AWS does not bill."""
    return tuple(FreeItem(**entry) for entry in table("service_prices")["free"])


def service_item(key: str) -> ServiceItem:
    """Return an item.

    Args:
        key: Its key, for example `nat-gateway-hour`.

    Returns:
        The item, whether its price is known or not.

    Raises:
        UnknownServiceItemError: There is no item with this key.
    """
    found = _items_by_key().get(key)
    if found is None:
        from difflib import get_close_matches  # Costs more to import than the table to read.

        raise UnknownServiceItemError(key, tuple(get_close_matches(key, _items_by_key(), n=3)))
    return found


def find_service_price(key: str, region: str) -> ServicePrice | None:
    """Return the price of an item in a Region.

    Args:
        key: Key of the item.
        region: The Region's name.

    Returns:
        None when the price is not known: no source shows one for that Region.

    Raises:
        UnknownServiceItemError: There is no item with this key.
    """
    return next((price for price in service_item(key).prices if price.is_for(region)), None)


@cache
def _items_by_key() -> dict[str, ServiceItem]:
    return {item.key: item for item in service_items()}


def _item(entry: dict[str, Any]) -> ServiceItem:
    values = dict(entry)
    prices = tuple(_price(entry["key"], price) for price in values.pop("prices"))
    return ServiceItem(prices=prices, **values)


def _price(key: str, entry: dict[str, Any]) -> ServicePrice:
    values = dict(entry)
    disagreements = disagreements_from(values.pop("disagreements", ()))
    return ServicePrice(item=key, disagreements=disagreements, **values)
