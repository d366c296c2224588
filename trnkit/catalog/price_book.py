"""What things cost, in one place: the catalogue's prices, and before them those of a file.

A price is a range: where no source shows one for a Region, it is what other Regions have, from the
lowest to the highest, and says so. What nobody shows at all is None, never zero.

Of a file's prices, those that its author states count as they stand. List prices in it are what
AWS said on the day they were read. An agreed discount is taken off them and off the catalogue's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Literal

from trnkit.catalog.prices import instance_prices

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trnkit.catalog.agreed_discount import AgreedDiscount
    from trnkit.catalog.prices import InstancePrice

Basis = Literal["file", "region", "other regions"]
InstancePurchase = Literal["on-demand", "capacity-block", "spot"]

STALE_AFTER_DAYS = 90
"""AWS changed prices of accelerators several times a year of late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitPrice:
    """What one unit of something costs.

    Attributes:
        item: Key of what is sold, for example `ebs-gp3-storage` or `trn1.32xlarge on-demand`.
        unit: What is counted: `hour`, `GB-month`, `IOPS-month`, `GB`...
        low: US dollars for a unit, at least.
        high: US dollars for a unit, at most: as `low` where the price is known.
        basis: Where it is from: a file of the user's, a source for this Region, or sources for
            others.
        source: Keys of the catalogue's sources, or the file's own words.
        date: Day on which the price was last compared with its source.
        discount_percent: Per cent of an agreed discount that `low` and `high` are below the list
            price; 0: none was taken off.
        discount_source: What that discount is from, in its file's words; "" without one.
    """

    item: str
    unit: str
    low: float
    high: float
    basis: Basis
    source: tuple[str, ...]
    date: str
    discount_percent: float = 0.0
    discount_source: str = ""

    def is_stale(self, today: date) -> bool:
        """Whether the price was last compared more than `STALE_AFTER_DAYS` ago."""
        return (today - date.fromisoformat(self.date)).days > STALE_AFTER_DAYS


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPrice:
    """A price of a file of the user's.

    Attributes:
        item: Key of what is sold: of a service, or `<instance type> <purchase>`.
        region: Where it counts; None: everywhere.
        price: What it costs there.
        is_list_price: Whether it is AWS's list price on some day, and not what somebody states.
    """

    item: str
    region: str | None
    price: UnitPrice
    is_list_price: bool = False


class PriceBook:
    """Finds prices; those of a file count before the catalogue's."""

    def __init__(
        self, own: Iterable[OwnPrice] = (), discount: AgreedDiscount | None = None
    ) -> None:
        """Look nothing up yet.

        Args:
            own: Prices of a file; one for a Region counts before one for all.
            discount: What is taken off list prices, the file's and the catalogue's.
        """
        own = tuple(own)
        self._own = _by_place(price for price in own if not price.is_list_price)
        self._listed = _by_place(price for price in own if price.is_list_price)
        self._discount = discount

    def instance(
        self, instance_type: str, region: str, purchase: InstancePurchase
    ) -> UnitPrice | None:
        """What an instance costs in an hour, with GPUs too; None when no source shows a price."""
        item = f"{instance_type} {purchase}"
        own = self.stated_instance(instance_type, region, purchase)
        if own is not None or purchase == "spot":
            return own
        known = [
            _Known(price.usd_per_hour, price.source, price.date, is_here=region in price.regions)
            for price in _prices_of(instance_type)
            if price.purchase == purchase and price.usd_per_hour is not None
        ]
        return self._list_price(region, item, _of_region_or_others(item, "hour", known))

    def stated_instance(
        self, instance_type: str, region: str, purchase: InstancePurchase
    ) -> UnitPrice | None:
        """What the own prices state that an instance costs; no list price, and no discount."""
        return _price_at(self._own, f"{instance_type} {purchase}", region)

    def less_discount(self, listed: UnitPrice) -> UnitPrice:
        """What is paid of a list price that is from elsewhere: AWS's answer of today."""
        return listed if self._discount is None else self._discount.taken_off(listed)

    def service(self, item: str, region: str) -> UnitPrice | None:
        """What a unit of a service costs; None when no source shows a price anywhere.

        Raises:
            UnknownServiceItemError: Neither the own prices nor the catalogue have such an item.
        """
        own = _price_at(self._own, item, region)
        if own is not None:
            return own
        from trnkit.catalog.service_prices import service_item  # As above.

        entry = service_item(item)
        known = [
            _Known(price.usd_per_unit, price.source, price.date, is_here=price.is_for(region))
            for price in entry.prices
        ]
        return self._list_price(region, item, _of_region_or_others(item, entry.unit, known))

    def _list_price(self, region: str, item: str, known: UnitPrice | None) -> UnitPrice | None:
        """AWS's own list before what the catalogue has at second hand; less the discount."""
        price = _price_at(self._listed, item, region) or known
        return None if price is None else self.less_discount(price)


def _by_place(prices: Iterable[OwnPrice]) -> dict[tuple[str, str | None], UnitPrice]:
    return {(price.item, price.region): price.price for price in prices}


def _price_at(
    prices: Mapping[tuple[str, str | None], UnitPrice], item: str, region: str
) -> UnitPrice | None:
    return prices.get((item, region)) or prices.get((item, None))


@dataclass(frozen=True, slots=True)
class _Known:
    """A price of the catalogue's, and whether it is for the Region that was asked about."""

    usd: float
    source: tuple[str, ...]
    date: str
    is_here: bool = field(kw_only=True)


def _prices_of(instance_type: str) -> tuple[InstancePrice, ...]:
    found = tuple(price for price in instance_prices() if price.instance_type == instance_type)
    if found:
        return found
    from trnkit.catalog.gpus import gpu_prices  # Every check would read it for nothing.

    return tuple(price for price in gpu_prices() if price.instance_type == instance_type)


def _of_region_or_others(item: str, unit: str, known: Sequence[_Known]) -> UnitPrice | None:
    here = [price for price in known if price.is_here]
    counted = here or known
    if not counted:
        return None
    return UnitPrice(
        item=item,
        unit=unit,
        low=min(price.usd for price in counted),
        high=max(price.usd for price in counted),
        basis="region" if here else "other regions",
        source=tuple(dict.fromkeys(key for price in counted for key in price.source)),
        date=min(price.date for price in counted),
    )
