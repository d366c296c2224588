"""How money is said to a person."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from trnkit.report.words import count_of, on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from trnkit.catalog.price_book import UnitPrice
    from trnkit.layout.cost.comparing import Difference
    from trnkit.layout.cost.lines import ClusterCost, Money

UNKNOWN = "unknown"
STATED = "budget.prices_file or --spot-price states a price"
_CENT = 0.005
_SMALL = 1.0


def usd(amount: float) -> str:
    """`$1,234.50`; of less than a dollar four digits: `$0.0557`; `$0` for nothing."""
    size = abs(amount)
    sign = "-" if amount < 0 else ""
    if not size:
        return "$0"
    if size < _SMALL:
        return f"{sign}${size:.4f}" if size >= _CENT / 100 else f"{sign}<$0.0001"
    return f"{sign}${size:,.2f}"


def money(amount: Money) -> str:
    """`$21.50`, `$1.00 to $2.00`, `at least $21.50`, `up to $3.00`, `unknown`."""
    if amount.high is None:
        return f"at least {usd(amount.low)}" if amount.low else UNKNOWN
    low, high = usd(amount.low), usd(amount.high)
    if low == high:
        return high
    return f"{low} to {high}" if amount.low else f"up to {high}"


def more(difference: Difference) -> str:
    """`+$21.50`, `-$3.00`, `+$1.00 to +$2.00`, `at least +$1.00`, `at most -$2.00`, `unknown`."""
    least, most = difference.least, difference.most
    if least is not None and most is not None:
        return " to ".join(dict.fromkeys((_signed(least), _signed(most))))
    # Of what came, "at least nothing" says nothing, as "at most nothing" of what went.
    if least:
        return f"at least {_signed(least)}"
    return f"at most {_signed(most)}" if most else UNKNOWN


def _signed(amount: float) -> str:
    text = usd(amount)
    return text if text.startswith(("-", "$0")) and amount <= 0 else f"+{text}"


def chip_hour_words(cost: ClusterCost) -> str:
    """An hour of one chip with everything: `$1.36`, `at least $0.90`, or `unknown`.

    Of nodes whose price nobody shows, what stands around them says nothing of a chip.
    """
    nodes, everything = cost.node_chip_hour, cost.chip_hour
    if nodes is None or everything is None or money(nodes) == UNKNOWN:
        return UNKNOWN
    return money(everything)


def share(part: Money, whole: Money) -> str:
    """`99.5 %`, of the upper ends; nothing where there is no whole, or nobody knows how large."""
    if whole.high is None or part.high is None:
        return ""
    return percent_of(part.high, whole.high)


def percent_of(part: float, whole: float) -> str:
    """`99.5 %`; nothing where there is no whole."""
    if not whole or not part:
        return ""
    percent = 100 * part / whole
    return "<0.1 %" if percent < _CENT * 10 else f"{percent:.1f} %"


def where_from(price: UnitPrice) -> str:
    """`karpenter-prices, 2026-11-30`, with what is of other Regions or has a discount said so."""
    of_others = " (of other Regions)" if price.basis == "other regions" else ""
    less = f", {less_words(price)}" if price.discount_percent else ""
    # A file's own words are part of it.
    return on_one_line(f"{', '.join(price.source)}, {price.date}{of_others}{less}")


def less_words(price: UnitPrice) -> str:
    """`less 12 % (Enterprise agreement 2026, annex B)`: what an agreement took off, and which."""
    whence = f" ({price.discount_source})" if price.discount_source else ""
    return on_one_line(f"less {price.discount_percent:g} %{whence}")


def discount_words(prices: Iterable[UnitPrice]) -> str:
    """`6 of 8 prices are list prices less 12 % (annex B)`; "" where nothing was taken off."""
    every = tuple(prices)
    counts = Counter(less_words(price) for price in every if price.discount_percent)
    said = [f"{count} of {count_of(len(every), 'price')}" for count in counts.values()]
    return "; ".join(
        f"{of_all} {'is a list price' if count == 1 else 'are list prices'} {less}"
        for of_all, (less, count) in zip(said, counts.items(), strict=True)
    )


def stale(prices: tuple[UnitPrice, ...], today: date) -> tuple[UnitPrice, ...]:
    """Those that were last compared too long ago."""
    return tuple(price for price in prices if price.is_stale(today))
