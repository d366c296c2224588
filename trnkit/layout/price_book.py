"""The price book of a cluster: the catalogue, and before it the cluster's own file of prices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog.price_book import OwnPrice, PriceBook, UnitPrice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trnkit.config import ClusterConfig
    from trnkit.config.prices_file import PriceEntry, PricesFile

AWS_LIST = "AWS Price List"
"""What refreshed prices are from, in the words of a file, and what a plan was told."""


def price_book(cluster: ClusterConfig) -> PriceBook:
    """Where prices of a cluster are looked up; nothing else makes its book.

    Args:
        cluster: The cluster, with what its file of prices says.
    """
    return book_of(cluster.budget.prices)


def list_price_book(cluster: ClusterConfig) -> PriceBook:
    """The same without what the cluster has agreed with AWS: for what is said of list prices.

    Args:
        cluster: The cluster, with what its file of prices says.
    """
    file = cluster.budget.prices
    agreed: dict[str, object] = {"prices": (), "discount": None}
    return book_of(None if file is None else file.model_copy(update=agreed))


def book_of(file: PricesFile | None) -> PriceBook:
    """The catalogue with a file of prices before it.

    Args:
        file: What the file says; None: there is none.
    """
    if file is None:
        return PriceBook()
    discount = None
    if file.discount is not None:
        from trnkit.catalog.agreed_discount import AgreedDiscount  # Few files have one.

        discount = AgreedDiscount(
            percent=file.discount.percent,
            not_on=frozenset(file.discount.not_on),
            source=file.source or "",
        )
    return PriceBook(own_prices(file), discount)


def own_prices(file: PricesFile) -> tuple[OwnPrice, ...]:
    """Every price of a file: those that it states, then AWS's list in it.

    Args:
        file: What the file says.
    """
    stated = _prices(
        file.prices,
        region=file.region,
        source=file.source or "",
        date=file.date or "",
        is_list_price=False,
    )
    listed = file.list_prices
    if listed is None:
        return tuple(stated)
    return (
        *stated,
        *_prices(
            listed.prices,
            region=None,
            source=f"{AWS_LIST}, read {listed.read}",
            date=listed.read,
            is_list_price=True,
        ),
    )


def _prices(
    entries: Iterable[PriceEntry],
    *,
    region: str | None,
    source: str,
    date: str,
    is_list_price: bool,
) -> Iterator[OwnPrice]:
    from trnkit.catalog.service_prices import service_item  # Most clusters have no such file.

    for entry in entries:
        dollars = entry.dollars
        if dollars is None:
            raise ValueError(f"{entry.key} has no price, which reading the file has ruled out")
        price = UnitPrice(
            item=entry.key,
            unit=service_item(entry.item).unit if entry.item else "hour",
            low=dollars,
            high=dollars,
            basis="file",
            source=(source,),
            date=date,
        )
        yield OwnPrice(
            item=entry.key,
            region=entry.region or region,
            price=price,
            is_list_price=is_list_price,
        )
