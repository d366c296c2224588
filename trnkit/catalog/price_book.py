"""What things cost, in one place: the catalogue's prices, and before them those of a file.

A price is a range: where no source shows one for a Region, it is what other Regions have, from the
lowest to the highest, and says so. What nobody shows at all is None, never zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Literal

from trnkit.catalog.prices import instance_prices
from trnkit.catalog.service_prices import service_item

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    """

    item: str
    unit: str
    low: float
    high: float
    basis: Basis
    source: tuple[str, ...]
    date: str

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
    """

    item: str
    region: str | None
    price: UnitPrice


class PriceBook:
    """Finds prices; those of a file count before the catalogue's."""

    def __init__(self, own: Iterable[OwnPrice] = ()) -> None:
        """Look nothing up yet.

        Args:
            own: Prices that count first; one for a Region before one for all.
        """
        self._own = {(price.item, price.region): price.price for price in own}

    def instance(
        self, instance_type: str, region: str, purchase: InstancePurchase
    ) -> UnitPrice | None:
        """What an instance costs in an hour; None when no source shows a price anywhere."""
        item = f"{instance_type} {purchase}"
        own = self._own_price(item, region)
        if own is not None or purchase == "spot":
            return own
        known = [
            _Known(price.usd_per_hour, price.source, price.date, is_here=region in price.regions)
            for price in instance_prices()
            if (price.instance_type, price.purchase) == (instance_type, purchase)
            and price.usd_per_hour is not None
        ]
        return _of_region_or_others(item, "hour", known)

    def service(self, item: str, region: str) -> UnitPrice | None:
        """What a unit of a service costs; None when no source shows a price anywhere.

        Raises:
            UnknownServiceItemError: Neither the own prices nor the catalogue have such an item.
        """
        own = self._own_price(item, region)
        if own is not None:
            return own
        entry = service_item(item)
        known = [
            _Known(price.usd_per_unit, price.source, price.date, is_here=price.is_for(region))
            for price in entry.prices
        ]
        return _of_region_or_others(item, entry.unit, known)

    def _own_price(self, item: str, region: str) -> UnitPrice | None:
        return self._own.get((item, region)) or self._own.get((item, None))


@dataclass(frozen=True, slots=True)
class _Known:
    """A price of the catalogue's, and whether it is for the Region that was asked about."""

    usd: float
    source: tuple[str, ...]
    date: str
    is_here: bool = field(kw_only=True)


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
