"""A month day by day, with what Capacity Blocks and reservations do in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.layout.cost.lines import HOURS_PER_MONTH
from trnkit.report.cost_words import money, usd
from trnkit.report.pages.charts import Pillar, pillar_chart, swatch
from trnkit.report.pages.markup import Markup, element, together
from trnkit.report.pages.tables import Column, Row, table

if TYPE_CHECKING:
    from datetime import date, datetime

    from trnkit.layout.cost.lines import Money
    from trnkit.layout.cost.month import CostMonth, DayCost

_KINDS = (
    ("Nodes and their volumes", 0),
    ("Share of fees of Capacity Blocks, paid beforehand", 3),
    ("Everything else", 5),
)
_TICK_DAYS = 7
_BLANK = Markup("&#160;")


def month_section(month: CostMonth | None, monthly: Money) -> Markup:
    """A picture of the days and a table of what happens, or that all days are alike.

    Args:
        month: The month; None without Capacity Blocks.
        monthly: What a month of `HOURS_PER_MONTH` hours costs.
    """
    if month is None:
        each = money(monthly * (24 / HOURS_PER_MONTH))
        said = f"The file has no Capacity Block with its times, so all days cost the same: {each}."
        return together([element("h2", "Day by day"), element("p", said)])
    numbers = _numbers(month)
    pillars = [_pillar(day, numbers.get(day.day, "")) for day in month.days]
    label = f"Cost of each day of {month.name}, {money(month.all)} in all; the tables say the same"
    caption = f"US dollars a day in {month.name} (UTC), as far as prices are known"
    keys = [
        element("li", swatch(_BLANK, tone), name)
        for (name, tone), has in zip(_KINDS, _has(month), strict=True)
        if has
    ]
    return together(
        [
            element("h2", f"Day by day in {month.name}"),
            element("p", _sum_words(month)),
            pillar_chart(caption, label, pillars, _round),
            element("ul", *keys, class_="key") if keys else "",
            _moments(month, numbers),
            _stretches(month),
        ]
    )


def _sum_words(month: CostMonth) -> str:
    more = ""
    if month.further_moments:
        more = " Starts or ends of the same groups lie in other months."
    return f"In the {len(month.days)} days of {month.name}: {money(month.all)}.{more}"


def _numbers(month: CostMonth) -> dict[date, str]:
    """Days on which something happens, each with its number."""
    days = dict.fromkeys(moment.at.date() for moment in month.moments)
    return {day: str(number) for number, day in enumerate(days, start=1)}


def _pillar(day: DayCost, mark: str) -> Pillar:
    amounts = (day.nodes, day.fees, day.rest)
    is_tick = (day.day.day - 1) % _TICK_DAYS == 0
    return Pillar(
        name=f"{day.day.isoformat()}: {money(day.all)}",
        tick=str(day.day.day) if is_tick else "",
        parts=[(each.counted, tone) for each, (_, tone) in zip(amounts, _KINDS, strict=True)],
        mark=mark,
    )


def _round(value: float) -> str:
    """A round figure without cents."""
    return usd(value).removesuffix(".00")


def _has(month: CostMonth) -> tuple[bool, bool, bool]:
    return (
        any(day.nodes.counted for day in month.days),
        any(day.fees.counted for day in month.days),
        any(day.rest.counted for day in month.days),
    )


def _moments(month: CostMonth, numbers: dict[date, str]) -> Markup:
    if not month.moments:
        return Markup()
    columns = (
        Column("Mark", kind="short"),
        Column("When (UTC)", kind="short"),
        Column("Node groups"),
        Column("What"),
    )
    groups: dict[tuple[datetime, str], list[str]] = {}
    for moment in month.moments:
        groups.setdefault((moment.at, moment.what), []).append(moment.group)
    rows = [
        Row((numbers[at.date()], at.strftime("%Y-%m-%d %H:%M"), ", ".join(names), what))
        for (at, what), names in groups.items()
    ]
    return table("What happens in the month", columns, rows)


def _stretches(month: CostMonth) -> Markup:
    """Days that cost the same, in one row."""
    groups: list[list[DayCost]] = []
    for day in month.days:
        is_same = groups and _said(groups[-1][-1]) == _said(day)
        groups[-1].append(day) if is_same else groups.append([day])
    columns = (
        Column("Days", kind="short"),
        Column("Nodes and volumes", kind="number"),
        Column("Share of fees", kind="number"),
        Column("Everything else", kind="number"),
        Column("A day", kind="number"),
    )
    rows = [Row((_span(days), *_said(days[0]))) for days in groups]
    return table(f"What a day costs in {month.name}", columns, rows)


def _said(day: DayCost) -> tuple[str, ...]:
    return tuple(money(each) for each in (day.nodes, day.fees, day.rest, day.all))


def _span(days: list[DayCost]) -> str:
    first, last = days[0].day, days[-1].day
    return str(first.day) if first == last else f"{first.day} to {last.day}"
