"""`trnkit prices list` and `show`: what the price book has, with source and date."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, cast

from trnkit.catalog import find_source, instance_prices
from trnkit.catalog.gpus import gpu_prices
from trnkit.catalog.price_queries import find_price_query
from trnkit.catalog.service_prices import free_items, service_items
from trnkit.errors import UsageError
from trnkit.findings import nearest
from trnkit.layout.price_book import book_of
from trnkit.rules.judging.region_shape import is_region_shaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trnkit.catalog import Disagreement, InstancePrice, ServicePrice, Source
    from trnkit.catalog.price_book import InstancePurchase, PriceBook, UnitPrice
    from trnkit.catalog.price_queries import PriceQuery
    from trnkit.config.prices_file import PricesFile


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedPrice:
    """A price of the catalogue, before any file.

    Attributes:
        regions: Regions that a source shows it for; `*`: all.
        usd: US dollars for a unit.
        disagreements: Where sources differ.
        source: Keys of the sources.
        date: Day on which it was last compared with them.
    """

    regions: tuple[str, ...]
    usd: float
    disagreements: tuple[Disagreement, ...]
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceFacts:
    """What is known about the price of one thing.

    Attributes:
        key: Its key in the price book.
        service: What sells it.
        unit: What is counted.
        meaning: What is counted and what is not, in words.
        region: The Region that was asked about; None: no Region.
        price: What counts there; None when nothing is known, or no Region was asked about.
        shipped: Prices of the catalogue, of all Regions.
        query: How `trnkit prices refresh` asks for it; None: it does not.
        sources: Sources of the catalogue that are named.
    """

    key: str
    service: str
    unit: str
    meaning: str
    region: str | None
    price: UnitPrice | None
    shipped: tuple[ShippedPrice, ...]
    query: PriceQuery | None
    sources: tuple[Source, ...]


def price_facts(
    region: str | None = None, *, pattern: str | None = None, file: PricesFile | None = None
) -> tuple[PriceFacts, ...]:
    """What is known about every price.

    Args:
        region: Where; all Regions of the catalogue when left out.
        pattern: Keys that are wanted: a part of them, or with `*` and `?` all of them.
        file: A file of prices, which counts first.

    Raises:
        UsageError: The Region's name can be none.
    """
    if region is not None and not is_region_shaped(region):
        raise UsageError(f"region {region!r} is no Region, as us-east-2 is")
    book = book_of(file)
    facts = (*_services(region, book), *_instances(region, book, file))
    return tuple(one for one in facts if pattern is None or _fits(one.key, pattern))


def facts_about_price(
    item: str, region: str | None = None, *, file: PricesFile | None = None
) -> tuple[PriceFacts, ...]:
    """What is known about an item, or about each way to buy an instance type.

    Args:
        item: Key of an item, or an instance type.
        region: Where; all Regions of the catalogue when left out.
        file: A file of prices, which counts first.

    Raises:
        UsageError: There is no such item, or it costs nothing.
    """
    every = price_facts(region, file=file)
    found = tuple(one for one in every if item in (one.key, one.key.partition(" ")[0]))
    if found:
        return found
    for free in free_items():
        if free.key == item:
            raise UsageError(f"AWS does not bill {item}: {free.meaning}")
    close = nearest(item, dict.fromkeys(one.key.partition(" ")[0] for one in every))
    hint = f"did you mean {' or '.join(close)}?" if close else "trnkit prices list has them all"
    raise UsageError(f"there is no item {item!r} in the price book; {hint}")


def _fits(key: str, pattern: str) -> bool:
    wild = any(character in pattern for character in "*?[")
    return fnmatchcase(key, pattern) if wild else pattern in key


def _services(region: str | None, book: PriceBook) -> Iterator[PriceFacts]:
    for item in service_items():
        shipped = tuple(_shipped(price, price.usd_per_unit) for price in item.prices)
        price = book.service(item.key, region) if region else None
        yield PriceFacts(
            key=item.key,
            service=item.service,
            unit=item.unit,
            meaning=item.meaning,
            region=region,
            price=price,
            shipped=shipped,
            query=find_price_query(item.key),
            sources=_sources(item.source, shipped, price),
        )


def _instances(
    region: str | None, book: PriceBook, file: PricesFile | None
) -> Iterator[PriceFacts]:
    known: dict[tuple[str, str], list[ShippedPrice]] = {}
    for price in (*instance_prices(), *gpu_prices()):
        found = known.setdefault((price.instance_type, price.purchase), [])
        if price.usd_per_hour is not None:
            found.append(_shipped(price, price.usd_per_hour))
    listed = file.list_prices.prices if file and file.list_prices else ()
    for entry in (*(file.prices if file else ()), *listed):
        if entry.instance_type and entry.purchase:
            known.setdefault((entry.instance_type, entry.purchase), [])
    for (name, bought), shipped in known.items():
        purchase = cast("InstancePurchase", bought)
        price = book.instance(name, region, purchase) if region else None
        yield PriceFacts(
            key=f"{name} {purchase}",
            service="Amazon EC2",
            unit="hour",
            meaning=_MEANINGS[purchase],
            region=region,
            price=price,
            shipped=tuple(shipped),
            query=None,
            sources=_sources((), shipped, price),
        )


_MEANINGS: dict[InstancePurchase, str] = {
    "on-demand": "an instance, Linux, while it runs; also an unused On-Demand reservation",
    "spot": "an instance, Linux, while it runs; changes by the minute, and is no list price",
    "capacity-block": "an instance in a Capacity Block, which is paid when it is bought",
}


def _shipped(price: ServicePrice | InstancePrice, dollars: float) -> ShippedPrice:
    return ShippedPrice(
        regions=price.regions,
        usd=dollars,
        disagreements=price.disagreements,
        source=price.source,
        date=price.date,
    )


def _sources(
    item: tuple[str, ...], shipped: Iterable[ShippedPrice], price: UnitPrice | None
) -> tuple[Source, ...]:
    keys = [*item, *(key for one in shipped for key in one.source)]
    keys += price.source if price else ()
    found = (find_source(key) for key in dict.fromkeys(keys))
    return tuple(source for source in found if source is not None)
