"""What another version of a cluster file changes about its cost: a table for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.layout.cost.billing import price_words
from trnkit.report.cost_text import aligned, not_told_lines, price_lines, unneeded
from trnkit.report.cost_words import STATED, chip_hour_words, less_words, money, more
from trnkit.report.words import count_of, on_one_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from trnkit.layout.cost.comparing import CostComparison, LineChange
    from trnkit.layout.cost.lines import ClusterCost

HEAD = ("", "component", "what", "an hour", "a month")


def comparison_lines(
    compared: CostComparison, today: date, *, width: int | None = None
) -> list[str]:
    """The lines of a comparison.

    Args:
        compared: Two versions of a cluster.
        today: To tell prices that are too old.
        width: Columns of the terminal, for the table; as wide as it is when left out.
    """
    lines = [headline(compared), *discount_lines(compared)]
    rows = change_rows(compared)
    if rows:
        lines += ["", *_table([HEAD, *rows, total_row(compared)], width)]
    lines += [*([""] if remarks(compared) else []), *remarks(compared)]
    added = [change.line for change in compared.changes if change.line.not_told]
    told = not_told_lines(added)
    if told:
        lines += ["", "changes by use, which nobody told:", *(f"  {line}" for line in told)]
    return [*lines, "", *price_lines(compared.new, today)]


def _table(rows: Sequence[tuple[str, ...]], width: int | None) -> list[str]:
    """Rows as lines; where they are too wide without hours, and with the long words last."""
    lines = aligned(rows, numbers=(3, 4))
    if width is None or max(map(len, lines)) <= width:
        return lines
    narrow = [
        (kind, month, f"{part}: {what}" if what else part) for kind, part, what, _, month in rows
    ]
    return aligned(narrow, numbers=(1,))


def headline(compared: CostComparison) -> str:
    """The first line: what a month costs more, and what it cost and costs."""
    name = on_one_line(compared.new.cluster)
    before, after = money(compared.old.monthly), money(compared.new.monthly)
    if not compared.changes:
        return f"{name}: the cost does not change: {after} a month"
    beside = f" beside {count_of(len(compared.unknown), 'change')} of unknown price"
    if compared.monthly.most is None and (compared.monthly.least or 0) < 0:
        # What is known becomes less, and nothing says that the whole does.
        return (
            f"{name}: nobody knows how much more or less a month is, with "
            f"{count_of(len(compared.unknown), 'change')} of unknown price "
            f"(a month was {before}, and is {after})"
        )
    return (
        f"{name}: {more(compared.monthly)} a month, {more(compared.hourly)} an hour"
        f"{beside if compared.unknown else ''} (a month was {before}, and is {after})"
    )


def discount_lines(compared: CostComparison) -> list[str]:
    """What an agreement took off the prices of either version; nothing without one."""
    before, after = (_discounts(cost) for cost in (compared.old, compared.new))
    if before == after:
        return [f"with {after}"] if after else []
    none = "with list prices alone"
    said = [f"with {words}" if words else none for words in (before, after)]
    return [f"before {said[0]}, after {said[1]}"]


def _discounts(cost: ClusterCost) -> str:
    """Each discount once: how many prices have it is no change of the agreement."""
    every = dict.fromkeys(less_words(price) for price in cost.prices if price.discount_percent)
    return "; ".join(f"list prices {less}" for less in every)


def change_rows(compared: CostComparison) -> list[tuple[str, ...]]:
    """A row for each line that changed, without those of use that nobody told."""
    return [
        (
            change.kind,
            change.line.component,
            _what(change),
            more(change.hourly),
            more(change.monthly),
        )
        for change in compared.changes
        if not change.line.not_told
    ]


def total_row(compared: CostComparison) -> tuple[str, ...]:
    """The row of the sums."""
    return ("", "total", "", more(compared.hourly), more(compared.monthly))


def remarks(compared: CostComparison) -> list[str]:
    """What the table does not say: fees, unknown prices, moves."""
    said: list[str] = []
    fees = any(change.upfront.least or change.upfront.most for change in compared.changes)
    unknown_fee = any(not change.upfront.is_known for change in compared.changes)
    if fees or unknown_fee:
        fee = more(compared.upfront)
        unknown = ", and a fee of unknown price" if unknown_fee else ""
        said.append(f"paid beforehand, once: {fee}{unknown}")
    if compared.old.cluster != compared.new.cluster:
        old, new = on_one_line(compared.old.cluster), on_one_line(compared.new.cluster)
        said.append(f"the cluster's name changes from {old} to {new}")
    if compared.old.region != compared.new.region:
        said.append(f"the Region changes from {compared.old.region} to {compared.new.region}")
    items = dict.fromkeys(change.line.item for change in compared.unknown)
    if items:
        said.append(f"unknown, and not in the sums: {', '.join(items)} ({STATED})")
    said += _chip_hours(compared.old, compared.new)
    return [*said, *unneeded(compared.old, compared.new)]


def _chip_hours(old: ClusterCost, new: ClusterCost) -> list[str]:
    before, after = chip_hour_words(old), chip_hour_words(new)
    if before == after:
        return []
    return [f"per chip-hour with everything: {before} before, {after} after"]


def _what(change: LineChange) -> str:
    old, new = change.old, change.new
    if old is None or new is None:
        return on_one_line(change.line.name)
    if old.name != new.name:
        return f"{on_one_line(old.name)} -> {on_one_line(new.name)}"
    parts: list[str] = []
    if old.quantity != new.quantity:
        parts.append(f"{old.quantity:,g} to {new.quantity:,g} {new.unit}")
    if old.price != new.price:
        parts.append(f"{price_words(old.price)} to {price_words(new.price)}")
    return on_one_line(new.name) + (f" ({'; '.join(parts)})" if parts else "")
