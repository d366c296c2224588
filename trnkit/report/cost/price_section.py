"""Prices with their sources and dates, what nobody knows, and what the rules say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import sort_findings
from trnkit.layout.cost.billing import usd_exactly
from trnkit.report.cost.alternatives_words import basis_words, way_name
from trnkit.report.pages.markup import Markup, element, together
from trnkit.report.pages.tables import Column, Row, notes, table
from trnkit.report.words import count_findings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.catalog.price_book import UnitPrice
    from trnkit.findings import Finding
    from trnkit.report.cost.citations import Citations
    from trnkit.report.cost.values import CostReport


def price_section(report: CostReport, sources: Citations) -> Markup:
    """Every price that counts: of what, from where, of which day.

    Args:
        report: What is known.
        sources: Numbers of sources.
    """
    prices = report.prices()
    if not prices:
        return Markup()
    columns = (
        Column("Price of"),
        Column("US dollars", kind="number"),
        Column("For", kind="short"),
        Column("From"),
        Column("Sources", kind="short"),
        Column("Compared on", kind="short"),
    )
    rows = [Row(_price_cells(price, report, sources)) for price in prices]
    return together([element("h2", "Prices"), table("Prices and their sources", columns, rows)])


def _price_cells(price: UnitPrice, report: CostReport, sources: Citations) -> tuple[str, ...]:
    is_stale = report.today is not None and price.is_stale(report.today)
    date = element("span", f"{price.date}, stale", class_="warn") if is_stale else price.date
    ends = dict.fromkeys((usd_exactly(price.low), usd_exactly(price.high)))
    return (
        price.item,
        " to ".join(ends),
        price.unit,
        basis_words(price, report.cost.region),
        sources.cite((*price.source, *([less] if (less := price.discount_source) else []))),
        date,
    )


def unknown_section(report: CostReport) -> Markup:
    """What no price is known of, and what nobody told.

    Args:
        report: What is known.
    """
    lines = [f"{line.name}: no source shows a price of {line.item}" for line in report.cost.unknown]
    if report.comparison is not None:
        lines += [
            f"{way_name(way)}: no source shows a price" for way in report.comparison.without_price
        ]
    untold = [line.name for line in report.cost.lines if line.not_told]
    if untold:
        lines.append(f"Nobody told how much is used, so none is counted: {'; '.join(untold)}")
    heading = element("h2", "What is unknown")
    if not lines:
        return together([heading, element("p", "Nothing: every price and every amount is known.")])
    return together([heading, notes(lines)])


def findings_section(findings: Sequence[Finding]) -> Markup:
    """What the rules say of the file.

    Args:
        findings: The findings.
    """
    heading = element("h2", "Findings")
    if not findings:
        return together([heading, element("p", "The rules find nothing wrong with the file.")])
    columns = (
        Column("Rule", kind="short"),
        Column("Severity", kind="short"),
        Column("Where"),
        Column("What"),
        Column("Fix"),
    )
    rows = [
        Row(
            (
                finding.rule_id,
                finding.severity,
                finding.location(),
                finding.message,
                finding.hint or "",
            )
        )
        for finding in sort_findings(findings)
    ]
    shown = table(f"Findings: {count_findings(findings)}", columns, rows)
    return together([heading, shown])
