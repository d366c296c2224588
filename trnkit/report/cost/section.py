"""What a cluster costs, as a section that any page can hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.layout.cost.lines import COMPONENTS, HOURS_PER_MONTH, Money, total
from trnkit.report.cost.comparison import comparison_section
from trnkit.report.cost.money import amount
from trnkit.report.cost.month_picture import month_section
from trnkit.report.cost.price_tables import findings_section, price_section, unknown_section
from trnkit.report.pages.charts import Part, stacked_bar, swatch
from trnkit.report.pages.markup import Markup, element, together
from trnkit.report.pages.tables import Column, Row, cards, table

if TYPE_CHECKING:
    from trnkit.layout.cost.lines import ClusterCost, Component
    from trnkit.report.cost.values import CostReport

_LEAST = 0.1
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def cost_section(report: CostReport) -> Markup:
    """Everything about the cost of a cluster, with headings of the second level and below.

    Args:
        report: What is known.
    """
    parts = [
        _figures(report),
        _components(report.cost),
        month_section(report.month),
        comparison_section(report),
        _lines(report.cost),
        unknown_section(report),
        price_section(report),
        findings_section(report.findings),
    ]
    return element("div", together(parts), class_="cost")


def _figures(report: CostReport) -> Markup:
    cost = report.cost
    entries = [
        ("An hour, all nodes running", amount(cost.hourly), _with_shares(cost)),
        (f"A month of {HOURS_PER_MONTH} hours", amount(cost.monthly), _hours(cost)),
    ]
    if any(line.upfront is not None for line in cost.lines):
        entries.append(("Paid beforehand, once", amount(cost.upfront), "Capacity Blocks"))
    nodes = total(line.hourly for line in cost.of("nodes"))
    if cost.chips:
        chip = amount(nodes * (1 / cost.chips))
        entries.append(("An accelerator hour, nodes alone", chip, f"{cost.chips:,} accelerators"))
    comparison = report.comparison
    if comparison is not None and not comparison.own.work.is_nothing:
        rate = comparison.own.effective_tflop_hour * 1000
        remark = "nodes alone, at the assumed use of the peak; see below"
        entries.append(("1,000 effective TFLOP-hours", amount(rate), remark))
    heading = element("h2", "What it costs", id="cost")
    return together([heading, cards(entries), element("p", _what_is_in(), class_="faint")])


def _with_shares(cost: ClusterCost) -> str:
    has_fees = any(line.upfront is not None for line in cost.lines)
    return "with the hour's share of fees paid beforehand" if has_fees else ""


def _hours(cost: ClusterCost) -> str:
    hours = cost.assumptions.hours_per_month
    return "" if hours == HOURS_PER_MONTH else f"nodes running {hours:,g} of them"


def _what_is_in() -> str:
    return (
        "List prices in US dollars, without taxes, credits and support. A range means that the "
        "price or the amount is known between two ends; “at least” that some price is unknown."
    )


def _components(cost: ClusterCost) -> Markup:
    shown = cost.components()
    amounts = {name: total(line.monthly for line in cost.of(name)) for name in shown}
    parts = [
        Part(
            letter=_LETTERS[number],
            name=name,
            low=amounts[name].low,
            high=amounts[name].high,
            tone=COMPONENTS.index(name),
        )
        for number, name in enumerate(shown)
    ]
    whole = sum(part.middle for part in parts)
    label = ", ".join(f"{part.name} {_share(part.middle, whole)}" for part in parts)
    rows = [
        Row(
            (
                together([swatch(part.letter, part.tone), _capital(part.name)]),
                amount(total(line.hourly for line in cost.of(name))),
                amount(amounts[name]),
                "unknown" if _is_all_unknown(amounts[name]) else _share(part.middle, whole),
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
    last = Row(("All", amount(cost.hourly), amount(cost.monthly), ""))
    return together(
        [
            element("h2", "By component"),
            stacked_bar("A month, by component. Ranges count with their middle.", label, parts),
            table("Cost by component", columns, rows, last=last),
        ]
    )


def _is_all_unknown(money: Money) -> bool:
    return money.high is None and money.low == 0


def _share(part: float, whole: float) -> str:
    per_cent = 100 * part / whole if whole > 0 else 0.0
    return "under 0.1 %" if 0 < per_cent < _LEAST else f"{per_cent:.1f} %"


def _capital(name: Component) -> str:
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
                amount(line.hourly),
                amount(line.monthly),
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
