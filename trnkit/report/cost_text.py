"""What a cluster costs, for a person at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog.price_book import STALE_AFTER_DAYS
from trnkit.layout.cost.billing import price_words
from trnkit.layout.cost.lines import total
from trnkit.layout.cost.told import told_for_nothing
from trnkit.report.cost_words import (
    STATED,
    chip_hour_words,
    discount_words,
    money,
    share,
    stale,
    usd,
    where_from,
)
from trnkit.report.cost_words import UNKNOWN as NOT_KNOWN
from trnkit.report.words import columns, count_of, on_one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import date

    from trnkit.layout.cost.lines import ClusterCost, Component, CostLine, Money

_MOST_LINES = 12
"""More lines of a component than this are one, unless all is explained."""
_NAMES = 3
_HEAD = ("", "unit price", "hourly", "monthly", "share")


def cost_lines(
    cost: ClusterCost,
    today: date,
    *,
    explain: bool = False,
    width: int | None = None,
    limit: str = "",
    compared: Collection[str] = (),
) -> list[str]:
    """The lines of an estimate.

    Args:
        cost: What a cluster costs.
        today: To tell prices that are too old.
        explain: Whether to show the arithmetic and the sources of each line.
        width: Columns of the terminal, for the table; as wide as it is when left out.
        limit: What there is to say of the month's limit; "" for nothing.
        compared: Items whose prices a comparison with other instances shows beside it.
    """
    lines = [
        f"{on_one_line(cost.cluster)} in {cost.region}: {money(cost.monthly)} a month, "
        f"{money(cost.hourly)} an hour while all nodes run",
        *discount_lines(cost),
        "",
        *_table(cost, width, explain=explain),
    ]
    lines += _section("paid beforehand, once", _upfront(cost))
    lines += _section("", _chip_hours(cost))
    lines += _section("", [limit] if limit else [])
    lines += _section(f"unknown, and not in the sums ({STATED})", _unknown(cost))
    lines += _section("by use, which nobody told: counted as none", not_told_lines(cost.not_told))
    lines += _section("assumed", _assumed(cost))
    lines += _section("", unneeded(cost, compared=compared))
    if explain:
        lines += _section("how each line comes about", _explained(cost))
    return [*lines, "", *price_lines(cost, today)]


def discount_lines(cost: ClusterCost) -> list[str]:
    """What an agreement took off the prices that count; nothing without one.

    Args:
        cost: What a cluster costs.
    """
    said = discount_words(cost.prices)
    return [said] if said else []


def _section(title: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    indent = "  " if title else ""
    head = [f"{title}:"] if title else []
    return ["", *head, *(f"{indent}{line}" for line in lines)]


def _table(cost: ClusterCost, width: int | None, *, explain: bool) -> list[str]:
    rows: list[tuple[str, ...]] = [_HEAD]
    for component in cost.components():
        rows += _component_rows(cost, component, explain=explain)
    rows.append(("total", "", money(cost.hourly), money(cost.monthly), ""))
    if cost.monthly.high is None:  # Nothing is a share of what nobody knows.
        rows = [row[:-1] for row in rows]
    numbers = range(2, len(rows[0]))
    lines = aligned(rows, numbers=numbers)
    if width is not None and max(map(len, lines)) > width:
        narrow = [(row[0], *row[2:]) for row in rows]
        return aligned(narrow, numbers=range(1, len(narrow[0])))
    return lines


def aligned(rows: Sequence[Sequence[str]], *, numbers: Sequence[int]) -> list[str]:
    """Rows as lines with aligned columns.

    Args:
        rows: Cells, every row with the same number of them.
        numbers: Which columns are aligned on the right.
    """
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    cells = [
        [cell.rjust(widths[at]) if at in numbers else cell for at, cell in enumerate(row)]
        for row in rows
    ]
    return columns(cells).split("\n")


def _component_rows(
    cost: ClusterCost, component: Component, *, explain: bool
) -> list[tuple[str, ...]]:
    lines = [line for line in cost.of(component) if not line.not_told]
    if not lines:
        return []
    shown = lines if explain or len(lines) <= _MOST_LINES else lines[: _MOST_LINES - 1]
    hourly, monthly = (
        total(line.hourly for line in lines),
        total(line.monthly for line in lines),
    )
    part = share(monthly, cost.monthly)
    rows = [(component, "", money(hourly), money(monthly), part)]
    if len(lines) == 1:
        only = lines[0]
        return [(f"{component}: {on_one_line(only.name)}", _unit_price(only), *rows[0][2:])]
    for line in shown:
        part = share(line.monthly, cost.monthly)
        name = f"  {on_one_line(line.name)}"
        rows.append((name, _unit_price(line), money(line.hourly), money(line.monthly), part))
    rest = lines[len(shown) :]
    if rest:
        hourly, monthly = total(one.hourly for one in rest), total(one.monthly for one in rest)
        name = f"  {count_of(len(rest), 'further line')} (--explain shows them)"
        part = share(monthly, cost.monthly)
        rows.append((name, "", money(hourly), money(monthly), part))
    return rows


def _unit_price(line: CostLine) -> str:
    return "unknown" if line.price is None else price_words(line.price)


def _upfront(cost: ClusterCost) -> list[str]:
    said: list[str] = []
    for line in cost.lines:
        if line.upfront is not None:
            said.append(f"{on_one_line(line.name)}: {_fee(line.upfront, line.monthly)}")
            said += (f"  {moment.at:%Y-%m-%d %H:%M} UTC: {moment.what}" for moment in line.moments)
    return said


def _fee(fee: Money, in_a_month: Money) -> str:
    whole, part = money(fee), money(in_a_month)
    return whole if fee.high is None else f"{whole}, of which the month above holds {part}"


def _chip_hours(cost: ClusterCost) -> list[str]:
    if cost.chips is None:
        return ["per chip-hour: unknown, because the chips of a type are not known"]
    if cost.node_chip_hour is None or cost.chip_hour is None:
        return []
    chips = f"per chip-hour ({count_of(cost.chips, 'chip')})"
    everything = chip_hour_words(cost)
    if everything == NOT_KNOWN:
        return [f"{chips}: {NOT_KNOWN}"]
    return [f"{chips}: {money(cost.node_chip_hour)} for the nodes, {everything} with everything"]


def _unknown(cost: ClusterCost) -> list[str]:
    """Each price that nobody shows, once, with what is of it."""
    names: dict[str, list[CostLine]] = {}
    for line in cost.unknown:
        names.setdefault(line.item, []).append(line)
    return [f"{item}: {_few(lines)}{_bound(lines)}" for item, lines in names.items()]


def _bound(lines: Sequence[CostLine]) -> str:
    """What is known of them all the same: Spot has an upper end, which is in the sums."""
    amount = total(line.hourly for line in lines)
    return "" if amount.high is None else f" ({money(amount)} an hour, which is in the sums)"


def _few(lines: Sequence[CostLine]) -> str:
    names = [on_one_line(line.name) for line in lines[:_NAMES]]
    more = len(lines) - len(names)
    return ", ".join([*names, *([f"{more} more"] if more else [])])


def not_told_lines(lines: Iterable[CostLine]) -> list[str]:
    """What to say for each use that nobody told, with what it would cost.

    Args:
        lines: Lines of such use.
    """
    uses: dict[str, list[CostLine]] = {}
    for line in lines:
        uses.setdefault(line.use or "", []).append(line)
    rows = [
        (
            f"--use {use.replace('_', '-')}=...",
            _few(of_use),
            " + ".join(dict.fromkeys(_unit_price(line) for line in of_use)),
        )
        for use, of_use in uses.items()
    ]
    return columns(rows).split("\n") if rows else []


def unneeded(*costs: ClusterCost, compared: Collection[str] = ()) -> list[str]:
    """What to say of options that change nothing; nothing without any.

    Args:
        costs: What was counted with the same assumptions.
        compared: Items whose prices a comparison with other instances shows beside them.
    """
    options = told_for_nothing(*costs, compared=compared)
    files = "the file" if len(costs) == 1 else "either file"
    told = ", ".join(on_one_line(option) for option in options)
    return [f"told, and nothing of {files} needs it: {told}"] if options else []


def _assumed(cost: ClusterCost) -> list[str]:
    said: dict[str, list[CostLine]] = {}
    for line in cost.lines:
        if line.assumption and not line.not_told:
            said.setdefault(line.assumption, []).append(line)
    hours = cost.assumptions.hours_per_month
    nodes = [f"{hours:,g} hours a month in which nodes run that nothing else limits"]
    of_nodes = any(line.course == "nodes" for line in cost.of("nodes"))
    return [
        *(nodes if of_nodes else []),
        *(f"{_few(lines)}: {text}" for text, lines in said.items()),
    ]


def _explained(cost: ClusterCost) -> list[str]:
    lines: list[str] = []
    for line in cost.lines:
        source = "no source shows a price" if line.price is None else where_from(line.price)
        month = f"= {money(line.monthly)} a month"
        lines += [
            f"{line.component}: {on_one_line(line.name)} {'' if line.not_told else month}".rstrip(),
            f"    {line.assumption if line.not_told else line.formula}",
            f"    {line.item}: {source}",
        ]
    return lines


def price_lines(cost: ClusterCost, today: date) -> list[str]:
    """Where the prices are from, and which of them are old.

    Args:
        cost: What a cluster costs.
        today: To tell prices that are too old.
    """
    prices = cost.prices
    if not prices:
        return ["prices: none is known"]
    days = sorted({price.date for price in prices})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    words = {"file": "of your own", "region": "of this Region", "other regions": "of other Regions"}
    counts = [
        f"{sum(price.basis == basis for price in prices)} {name}"
        for basis, name in words.items()
        if any(price.basis == basis for price in prices)
    ]
    lines = [
        f"prices: {', '.join(counts)}, in US dollars without tax, "
        f"compared with their sources {when}"
    ]
    old = stale(prices, today)
    if old:
        names = ", ".join(price.item for price in old[:_NAMES])
        more = f" and {len(old) - _NAMES} more" if len(old) > _NAMES else ""
        lines.append(
            f"warning: {count_of(len(old), 'price')} older than {STALE_AFTER_DAYS} days: "
            f"{names}{more}"
        )
    return lines


def over_limit(least: float | None, most: float | None, limit: float, what: str) -> str:
    """The line that says whether a limit is passed.

    Args:
        least: What it is at least; None when nobody knows.
        most: What it is at most; None when nobody knows.
        limit: What is allowed.
        what: What it is of.
    """
    name = on_one_line(what)
    if most is not None:
        verdict = "above" if most > limit else "not above"
        return f"{name}: {usd(most)} a month, {verdict} {usd(limit)}"
    # Of an increase, a least that is below zero says nothing.
    known = "nobody knows how much"
    if least is not None and least >= 0:
        known = f"at least {usd(least)} a month"
    if least is not None and least > limit:
        return f"{name}: {known}, above {usd(limit)}"
    return f"{name}: {known}, and maybe above {usd(limit)}: {STATED}"
