"""The same work elsewhere: pictures, tables and public claims, as a part of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.report.cost.alternatives_words import (
    CAVEAT,
    UNIT_NOTE,
    basis_words,
    known,
    machines_of,
    need_words,
    number,
    offered_words,
    own_count,
    remarks,
    row_name,
    times_words,
    use_words,
    work_words,
)
from trnkit.report.cost.claims_section import claim_section
from trnkit.report.cost_words import UNKNOWN, money
from trnkit.report.pages.charts import Bar, bar_chart
from trnkit.report.pages.markup import Markup, element, together
from trnkit.report.pages.tables import Column, Row, notes, table

if TYPE_CHECKING:
    from trnkit.layout.cost.alternatives import Way, WorkComparison
    from trnkit.layout.cost.lines import Money
    from trnkit.report.cost.citations import Citations
    from trnkit.report.cost.values import CostReport

_OWN = "As the file has it"


def alternatives_section(report: CostReport, sources: Citations) -> Markup:
    """Other instances beside the cluster's; nothing when nobody asked.

    Args:
        report: What is known.
        sources: Numbers of sources.
    """
    comparison = report.comparison
    if comparison is None:
        return Markup()
    heading = element("h2", "The same work elsewhere", id="alternatives")
    if comparison.own.work.is_nothing:
        said = "The file has no node whose compute is known, so there is no work to compare."
        return together([heading, element("p", said), notes(remarks(comparison))])
    return together(
        [
            heading,
            element("p", f"The nodes of the file: {work_words(comparison.own.work)}."),
            element("p", use_words(comparison.utilisation)),
            element("p", CAVEAT, class_="warn"),
            _chart(comparison),
            _needs(comparison),
            _rates(comparison),
            _machines(comparison, sources),
            notes(remarks(comparison)),
            claim_section(report.claims, sources),
        ]
    )


def _chart(comparison: WorkComparison) -> Markup:
    own = comparison.own.nodes
    bars = [Bar(name=_OWN, said=_hourly(own), low=own.low, high=own.high, is_own=True, tone=3)]
    for way in comparison.ways:
        cost = way.compute_hour
        instances = need_words(way.for_compute)
        said = f"{_hourly(cost)} · {instances} instances"
        bars.append(
            Bar(name=row_name(way, comparison.region), said=said, low=cost.low, high=cost.high)
        )
    caption = (
        "US dollars an hour for as much effective compute, in whole instances: nodes alone, no "
        "storage or network. Dashed: the price is known between two ends only."
    )
    return bar_chart(caption, bars)


def _hourly(amount: Money) -> str:
    shown = money(amount)
    return "price unknown" if shown == UNKNOWN else f"{shown} an hour"


def _needs(comparison: WorkComparison) -> Markup:
    columns = (
        Column("Bought", kind="short"),
        Column("Instances, same compute", kind="number"),
        Column("Hour", kind="number"),
        Column("Times this cluster", kind="number"),
        Column("Instances, same memory", kind="number"),
        Column("Hour", kind="number"),
    )
    own = comparison.own
    count = own_count(comparison)
    rows = [Row((_OWN, count, money(own.nodes), "1", count, money(own.nodes)), is_own=True)]
    rows += [_need_row(way, comparison) for way in comparison.ways]
    caption = "Instances and US dollars an hour for the same work (in brackets: in parts)"
    return together([element("h3", "What it would take"), table(caption, columns, rows)])


def _need_row(way: Way, comparison: WorkComparison) -> Row:
    return Row(
        (
            row_name(way, comparison.region),
            need_words(way.for_compute),
            money(way.compute_hour),
            times_words(comparison.own.times(way.compute_hour)),
            need_words(way.for_memory),
            money(way.memory_hour),
        )
    )


def _rates(comparison: WorkComparison) -> Markup:
    columns = (
        Column("Bought", kind="short"),
        Column("Instance hour", kind="number"),
        Column("Accelerator hour", kind="number"),
        Column("1,000 TFLOP-hours of peak", kind="number"),
        Column("1,000 effective TFLOP-hours", kind="number"),
        Column("Use", kind="number"),
        Column("Price of"),
    )
    own = comparison.own
    own_cells = (
        _OWN,
        "",
        money(own.accelerator_hour),
        money(own.peak_tflop_hour * 1000),
        money(own.effective_tflop_hour * 1000),
        _per_cent(own.work.effective_tflops / own.work.peak_tflops),
        "see below",
    )
    rows = [
        Row(own_cells, is_own=True),
        *(
            Row(
                (
                    row_name(way, comparison.region),
                    money(way.instance_hour),
                    money(way.accelerator_hour),
                    money(way.peak_tflop_hour * 1000),
                    money(way.effective_tflop_hour * 1000),
                    _per_cent(way.utilisation),
                    basis_words(way.price, comparison.region),
                )
            )
            for way in comparison.ways
        ),
    ]
    return together(
        [
            element("h3", "What a unit costs"),
            element("p", UNIT_NOTE),
            table("US dollars for a unit", columns, rows),
        ]
    )


def _per_cent(share: float) -> str:
    return f"{number(100 * share, 1)} %"


def _machines(comparison: WorkComparison, sources: Citations) -> Markup:
    columns = (
        Column("Instance type", kind="short"),
        Column("Accelerators"),
        Column("Dense BF16 peak, TFLOP/s each", kind="number"),
        Column("Memory, GiB each", kind="number"),
        Column("Network, Gbit/s each", kind="number"),
        Column("Offered", kind="short"),
        Column("Sources", kind="short"),
        Column("Compared on", kind="short"),
    )
    rows = [
        Row(
            (
                machine.instance_type,
                f"{known(machine.accelerators)} x {machine.accelerator}",
                known(machine.bf16_tflops),
                known(machine.memory_gib),
                known(machine.network_per_accelerator_gbps),
                offered_words(machine, comparison.region),
                sources.cite(machine.source),
                machine.date or "undated",
            )
        )
        for machine in machines_of(comparison.ways)
    ]
    caption = "Accelerators, their memory and their share of the network"
    return together([element("h3", "What is compared"), table(caption, columns, rows)])
