"""What an instance costs On-Demand: as the cluster states it, as AWS lists it, or as was known."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure
from trnkit.catalog import find_source
from trnkit.catalog.price_book import UnitPrice
from trnkit.layout.price_book import AWS_LIST
from trnkit.operations.planning.market import Price

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trnkit.aws.pricing import ListPrice
    from trnkit.catalog.price_book import PriceBook
    from trnkit.operations.planning.market import Told


def on_demand_price(
    told: Told[Mapping[str, ListPrice]], instance_type: str, region: str, book: PriceBook
) -> Told[Price | None]:
    """The price in a Region.

    What the cluster's file of prices states counts as it stands. Then comes AWS's answer, then the
    list in that file, then the catalogue, each less the discount of the file.

    Args:
        told: Prices of the type by Region, as AWS told them.
        instance_type: The type.
        region: The Region.
        book: The cluster's price book.

    Returns:
        None when AWS answered and nobody has a price for this Region. Without an answer, and
        without a price elsewhere, the failure.
    """
    stated = book.stated_instance(instance_type, region, "on-demand")
    if stated is not None:
        return _price(stated)
    if not isinstance(told, AwsFailure) and (listed := told.get(region)):
        return _price(book.less_discount(_as_listed(listed, instance_type)))
    known = book.instance(instance_type, region, "on-demand")
    if known is not None and known.basis != "other regions":
        return _price(known)
    return told if isinstance(told, AwsFailure) else None


def _as_listed(listed: ListPrice, instance_type: str) -> UnitPrice:
    return UnitPrice(
        item=f"{instance_type} on-demand",
        unit="hour",
        low=listed.usd_per_hour,
        high=listed.usd_per_hour,
        basis="file",
        source=(AWS_LIST,),
        date=listed.effective.isoformat(),
    )


def _price(price: UnitPrice) -> Price:
    """In the words of a plan."""
    if price.basis == "file":
        source = ", ".join(price.source)
    else:
        titles = [source.title for key in price.source if (source := find_source(key))]
        source = f"catalogue: {'; '.join(titles) or ', '.join(price.source)}"
    if price.discount_percent:
        source += f", less {price.discount_percent:g} %"
    return Price(usd_per_hour=price.high, source=source, as_of=date.fromisoformat(price.date))
