"""The page of `trnkit cost --format html`: one file, no network, no script, no time stamp."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.report.cost.section import cost_section
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
        f"An estimate for {cost.region}, from {report.file} and list prices.",
        cost_section(report),
        f"Made by trnkit {version}. An estimate is no quote: AWS bills what was used.",
    )
