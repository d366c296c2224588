"""The page of `trnkit cost --format html`: one file, no network, no script, no time stamp."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.report.cost.section import cost_section
from trnkit.report.cost_words import less_words
from trnkit.report.pages.document import document

if TYPE_CHECKING:
    from trnkit.report.cost.values import CostReport


def cost_page(report: CostReport, version: str) -> str:
    """A whole page about a cluster's cost.

    Args:
        report: What is known.
        version: Of trnkit, for the last line.
    """
    cost = report.cost
    return document(
        f"What {cost.cluster} costs",
        f"An estimate for {cost.region}, from {report.file} and {_prices(report)}.",
        cost_section(report),
        f"Made by trnkit {version}. An estimate is no quote: AWS bills what was used.",
    )


def _prices(report: CostReport) -> str:
    """What the estimate is made of, beside the file."""
    prices = report.prices()
    less = dict.fromkeys(less_words(price) for price in prices if price.discount_percent)
    listed = f"list prices {'; '.join(less)}".rstrip()
    has_own = any(price.basis == "file" for price in prices)
    return f"{listed}, and prices of your own" if has_own else listed
