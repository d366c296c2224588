"""TRN424: a price of one's own is of the unit that the price book counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.report.dollars import dollars, dollars_between
from trnkit.rules.judging.price_distance import is_far_from
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog.price_book import OwnPrice, UnitPrice
    from trnkit.config import ClusterConfig

_KEY = ("budget", "prices_file")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    file = cluster.budget.prices
    if file is None:
        return
    from trnkit.layout.price_book import own_prices  # Few clusters have such a file.

    for own in own_prices(file):
        if own.is_list_price or own.region not in (None, cluster.region):
            continue
        known = _list_price(own, cluster.region)
        if known is None or not is_far_from(own.price.low, known):
            continue
        listed = dollars_between(known.low, known.high)
        whose = "the list price" if known.item == own.item else f"the price of {known.item}"
        yield Violation(
            message=f"{format_path(_KEY)} has {dollars(own.price.low)} USD for {own.item}, and "
            f"{whose} is {listed} USD for one {own.price.unit}",
            hint=f"write what one {own.price.unit} costs: price pages often name the price of "
            "another number",
            path=_KEY,
        )


def _list_price(own: OwnPrice, region: str) -> UnitPrice | None:
    """What the catalogue has; of Spot it has nothing.

    Where AWS publishes no On-Demand price, a Capacity Block's is of the same order.
    """
    from trnkit.catalog.price_book import PriceBook

    name, _, purchase = own.item.partition(" ")
    if not purchase:
        return PriceBook().service(name, region)
    if purchase not in ("on-demand", "capacity-block"):
        return None
    book = PriceBook()
    listed = book.instance(name, region, "on-demand") if purchase == "on-demand" else None
    return listed or book.instance(name, region, "capacity-block")


RULE = ConfigRule(
    id="TRN424",
    title="a price of one's own is of the unit that the price book counts",
    severity=Severity.WARNING,
    why="Prices are for one hour, one GB and month, one request. A price of 10,000 requests, of a "
    "month or in cents is wrong by orders of magnitude, and so is every estimate with it.",
    source="https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_GetProducts.html",
    good="budget: {prices_file: examples/prices/agreement.yaml}\n",
    bad="budget: {prices_file: tests/trnkit/rules/prices/per-10000-requests.yaml}\n",
    check=_check,
)
