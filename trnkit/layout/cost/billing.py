"""Makes lines: a quantity, a price of the book, and the arithmetic between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Required, TypedDict, Unpack, cast

from trnkit.layout.cost.lines import HOURS_PER_MONTH, UNKNOWN, CostLine, Money

if TYPE_CHECKING:
    from trnkit.catalog.price_book import InstancePurchase, PriceBook, UnitPrice
    from trnkit.config import ClusterConfig
    from trnkit.layout.cost.assumptions import Assumptions
    from trnkit.layout.cost.lines import Component, Course

_DIGITS = 12

Use = Literal[
    "nat_gb",
    "endpoint_gb",
    "internet_gb",
    "cross_zone_gb",
    "s3_gb",
    "s3_writes",
    "s3_reads",
    "home_gb",
    "home_read_gb",
    "home_write_gb",
    "home_backup_gb",
    "tiering_gb",
    "tiering_reads",
    "tiering_writes",
    "lustre_backup_gb",
    "log_gb",
    "flow_log_gb",
    "image_build_hours",
    "image_gb",
]
"""The assumptions that say how much is used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Billed:
    """What a line is about, before anybody counts.

    Attributes:
        key: As of `CostLine`.
        component: As of `CostLine`.
        name: As of `CostLine`.
        path: As of `CostLine`.
        item: As of `CostLine`.
        unit: As of `CostLine`.
        region: Where it is billed; None: in the cluster's Region.
    """

    key: str
    component: Component
    name: str
    path: tuple[str | int, ...]
    item: str
    unit: str
    region: str | None = None


@dataclass(frozen=True, slots=True)
class Billing:
    """A cluster, with what its costs depend on.

    Attributes:
        cluster: The cluster.
        book: What things cost.
        assumptions: How it is used.
    """

    cluster: ClusterConfig
    book: PriceBook
    assumptions: Assumptions

    def by_hour(
        self,
        billed: Billed,
        quantity: float,
        words: str,
        *,
        hours: float = HOURS_PER_MONTH,
        course: Course = "always",
        assumption: str | None = None,
    ) -> CostLine:
        """A line of what is billed by the hour.

        Args:
            billed: What it is.
            quantity: How many at a time.
            words: The same in words: `2 gateways`.
            hours: How long in a month.
            course: What it costs by.
            assumption: What was assumed.
        """
        price = self._price(billed)
        hourly = times(price, quantity)
        return _line(
            billed,
            price,
            quantity=quantity,
            hourly=hourly,
            monthly=hourly * hours,
            course=course,
            formula=f"{words} x {hours:,g} hours x {price_words(price)}",
            assumption=assumption,
        )

    def by_month(
        self,
        billed: Billed,
        quantity: float,
        words: str,
        *,
        most: float | None = None,
        hours: float = HOURS_PER_MONTH,
        course: Course = "always",
        assumption: str | None = None,
    ) -> CostLine:
        """A line of what is billed by the month, and by its part where it is there for less.

        Args:
            billed: What it is.
            quantity: How many, of what is there for a whole month.
            words: The same in words: `16 volumes x 512 GB`.
            most: How many at the most, where only limits are known.
            hours: How long in a month.
            course: What it costs by.
            assumption: What was assumed.
        """
        price = self._price(billed)
        whole = times(price, quantity, most)
        share = "" if hours == HOURS_PER_MONTH else f" x {hours:,g} of {HOURS_PER_MONTH} hours"
        return _line(
            billed,
            price,
            quantity=quantity,
            hourly=whole * (1 / HOURS_PER_MONTH),
            monthly=whole * (hours / HOURS_PER_MONTH),
            course=course,
            formula=f"{words}{share} x {price_words(price)}",
            assumption=assumption,
        )

    def by_use(
        self,
        billed: Billed,
        use: Use,
        *,
        factor: float = 1.0,
        note: str | None = None,
    ) -> CostLine:
        """A line of what depends on use alone; none is counted where nobody told it.

        Args:
            billed: What it is.
            use: Which assumption says how much.
            factor: Units that are billed for one of that.
            note: What else was assumed.
        """
        told: float | None = getattr(self.assumptions, use)
        quantity = (told or 0.0) * factor
        price = self._price(billed)
        monthly = times(price, quantity)
        return _line(
            billed,
            price,
            quantity=quantity,
            hourly=monthly * (1 / HOURS_PER_MONTH),
            monthly=monthly,
            course="use",
            formula=f"{quantity:,g} x {price_words(price)}",
            assumption="nobody told how much: counted as none" if told is None else note,
            use=use,
            not_told=told is None,
        )

    def _price(self, billed: Billed) -> UnitPrice | None:
        region = billed.region or self.cluster.region
        name, _, purchase = billed.item.partition(" ")
        if purchase:
            return self.book.instance(name, region, cast("InstancePurchase", purchase))
        return self.book.service(billed.item, region)


class _Counted(TypedDict, total=False):
    """What of a line its bill says: attributes of `CostLine`."""

    quantity: Required[float]
    hourly: Required[Money]
    monthly: Required[Money]
    course: Required[Course]
    formula: Required[str]
    assumption: str | None
    use: Use
    not_told: bool


def _line(billed: Billed, price: UnitPrice | None, **counted: Unpack[_Counted]) -> CostLine:
    return CostLine(
        key=billed.key,
        component=billed.component,
        name=billed.name,
        path=billed.path,
        item=billed.item,
        unit=billed.unit,
        price=price,
        **counted,
    )


def times(price: UnitPrice | None, quantity: float, most: float | None = None) -> Money:
    """What so many units cost; nothing costs nothing whatever its price."""
    upper = quantity if most is None else most
    if price is None:
        return UNKNOWN if upper else Money(0.0, 0.0)
    return Money(price.low * quantity, price.high * upper)


def price_words(price: UnitPrice | None) -> str:
    """`$0.08 a GB-month`."""
    if price is None:
        return "a price that nobody shows"
    ends = dict.fromkeys((usd_exactly(price.low), usd_exactly(price.high)))
    article = "an" if price.unit[:1] in "aeiouI" or price.unit == "hour" else "a"
    return f"{' to '.join(ends)} {article} {price.unit}"


def usd_exactly(amount: float) -> str:
    """US dollars with all their digits: `$21.50`, `$0.0000004`."""
    text = f"{amount:.{_DIGITS}f}".rstrip("0")
    whole, _, cents = text.partition(".")
    return f"${int(whole):,}.{cents.ljust(2, '0')}"
