"""How a price of the catalogue is asked of the AWS Price List: the attributes of its product.

An item that is not here has no question: nobody could be found who names its product, and a guess
would be answered with the price of something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from trnkit.catalog.tables import table

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceQuery:
    """The question for one item.

    Attributes:
        item: Key of the item.
        service_code: The service, as the Price List calls it.
        filters: Attributes that AWS is asked to filter by.
        attributes: Further attributes that a product must have.
        usage_type: The product's usage type, without the prefix that names the Region.
        region_field: The attribute that holds the Region.
        units: How AWS may call the unit -> how many of the item's units are in one of it.
        source: Keys of the sources.
        date: Day on which the entry was last compared with them.
    """

    item: str
    service_code: str
    filters: Mapping[str, str]
    usage_type: str
    units: Mapping[str, int]
    source: tuple[str, ...]
    date: str
    attributes: Mapping[str, str]
    region_field: str


@cache
def price_queries() -> tuple[PriceQuery, ...]:
    """Return every question, in the order of the catalogue's items."""
    return tuple(_query(entry) for entry in table("price_queries")["queries"])


def find_price_query(item: str) -> PriceQuery | None:
    """Return the question for an item; None when there is none."""
    return next((query for query in price_queries() if query.item == item), None)


def _query(entry: dict[str, Any]) -> PriceQuery:
    values: dict[str, Any] = {"attributes": {}, "region_field": "regionCode"}
    return PriceQuery(**values | entry)
