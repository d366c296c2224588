"""What a cluster costs, as a section that any page can hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.layout.cost.lines import COMPONENTS, HOURS_PER_MONTH, Money, total
from trnkit.report.cost.alternatives_section import alternatives_section
from trnkit.report.cost.citations import Citations
from trnkit.report.cost.month_section import month_section
from trnkit.report.cost.price_section import findings_section, price_section, unknown_section
from trnkit.report.cost_words import (
    UNKNOWN,
    chip_hour_words,
    discount_words,
    money,
    percent_of,
)
from trnkit.report.pages.charts import Part, stacked_bar, swatch
from trnkit.report.pages.markup import Markup, element, together
from trnkit.report.pages.tables import Column, Row, cards, table
from trnkit.report.words import count_of

if TYPE_CHECKING:
    from trnkit.layout.cost.lines import ClusterCost
    from trnkit.report.cost.values import CostReport

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def cost_section(report: CostReport) -> Markup:
    """Everything about the cost of a cluster, with headings of the second level and below.

    Args:
        report: What is known.
    """
    sources = Citations(report.sources)
    parts = [
        _figures(report),
        _components(report.cost),
        month_section(report.month, report.cost.monthly),
        alternatives_section(report, sources),
        _lines(report.cost),
        unknown_section(report),
        price_section(report, sources),
        findings_section(report.findings),
        sources.section(),
    ]
    return element("div", together(parts), class_="cost")


def _figures(report: CostReport) -> Markup:
    cost = report.cost
    entries = [
        ("An hour, all nodes running", money(cost.hourly), _with_shares(cost)),
        (f"A month of {HOURS_PER_MONTH} hours", money(cost.monthly), _hours(cost)),
    ]
    if any(line.upfront is not None for line in cost.lines):
        entries.append(("Paid beforehand, once", money(cost.upfront), "Capacity Blocks"))
    if cost.node_chip_hour is not None and cost.chip_hour is not None:
        everything = f"of {cost.chips:,}; {chip_hour_words(cost)} with everything"
        entries.append(("A chip hour, nodes alone", money(cost.node_chip_hour), everything))
    comparison = report.comparison
    if comparison is not None and not comparison.own.work.is_nothing:
        rate = comparison.own.effective_tflop_hour * 1000
        remark = "nodes alone, at the assumed use of the peak; see below"
        entries.append(("1,000 effective TFLOP-hours", money(rate), remark))
    heading = element("h2", "What it costs", id="cost")
    limit = report.limit[:1].upper() + report.limit[1:]
    return together(
        [
            heading,
            cards(entries),
            element("p", f"{limit}.", class_="warn") if limit else "",
            element("p", _what_is_in(cost), class_="faint"),
        ]
    )


def _with_shares(cost: ClusterCost) -> str:
    has_fees = any(line.upfront is not None for line in cost.lines)
    return "with the hour's share of fees paid beforehand" if has_fees else ""


def _hours(cost: ClusterCost) -> str:
    hours = cost.assumptions.hours_per_month
    return "" if hours == HOURS_PER_MONTH else f"nodes running {hours:,g} of them"


def _what_is_in(cost: ClusterCost) -> str:
    ranges = (
        "A range means that the price or the amount is known between two ends; “at least” that "
        "some price is unknown."
    )
    rest = "in US dollars, without taxes, credits and support"
    own = _not_listed(cost)
    lead = f"Prices {rest}: {own}" if own else f"List prices {rest}"
    return f"{lead}. {ranges}"


def _not_listed(cost: ClusterCost) -> str:
    """What is no list price: what an agreement took off, and prices of the user's own."""
    own = sum(price.basis == "file" for price in cost.prices)
    kinds = [discount_words(cost.prices), f"{count_of(own, 'price')} of your own" if own else ""]
    return "; ".join(kind for kind in kinds if kind)


def _components(cost: ClusterCost) -> Markup:
    shown = cost.components()
    amounts = {name: total(line.monthly for line in cost.of(name)) for name in shown}
    parts = [
        Part(
            letter=_LETTERS[number],
            name=name,
            value=amounts[name].counted,
            tone=COMPONENTS.index(name),
        )
        for number, name in enumerate(shown)
    ]
    whole = sum(part.value for part in parts)
    label = ", ".join(
        f"{part.name} {percent_of(part.value, whole)}" for part in parts if part.value
    )
    rows = [
        Row(
            (
                together([swatch(part.letter, part.tone), _capital(part.name)]),
                money(total(line.hourly for line in cost.of(name))),
                money(amounts[name]),
                UNKNOWN if _is_all_unknown(amounts[name]) else percent_of(part.value, whole),
            )
        )
        for name, part in zip(shown, parts, strict=True)
    ]
    columns = (
        Column("Component"),
        Column("Hour", kind="number"),
        Column("Month", kind="number"),
        Column("Share of what is known", kind="number"),
    )
    last = Row(("All", money(cost.hourly), money(cost.monthly), ""))
    return together(
        [
            element("h2", "By component"),
            stacked_bar("A month, by component. A range counts with its upper end.", label, parts),
            table("Cost by component", columns, rows, last=last),
        ]
    )


def _is_all_unknown(amount: Money) -> bool:
    return amount.high is None and amount.low == 0


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]


def _lines(cost: ClusterCost) -> Markup:
    columns = (
        Column("What"),
        Column("Hour", kind="number"),
        Column("Month", kind="number"),
        Column("How the month is counted"),
        Column("Assumed"),
    )
    rows = [
        Row(
            (
                line.name,
                money(line.hourly),
                money(line.monthly),
                line.formula,
                line.assumption or "",
            )
        )
        for line in cost.lines
    ]
    if not rows:
        return Markup()
    return together(
        [element("h2", "Line by line"), table("Everything that is billed", columns, rows)]
    )
