"""Public claims beside our figures, as a part of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.report.cost.alternatives_words import (
    CLAIM_NOTE,
    agreeing_words,
    claim_words,
    compared_words,
    peak_words,
)
from trnkit.report.pages.markup import Markup, element, together
from trnkit.report.pages.tables import Column, Row, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trnkit.layout.cost.claims import ClaimCheck

_COLUMNS = (
    Column("Claim"),
    Column("Said by"),
    Column("Compared"),
    Column("What list prices and peaks give"),
    Column("When both agree"),
)


def claim_section(checks: Sequence[ClaimCheck], sources: Mapping[str, str]) -> Markup:
    """Each claim, who says it, what our figures give, and why they may differ.

    Args:
        checks: The claims; nothing is shown without one.
        sources: Key of a source and its title.
    """
    if not checks:
        return Markup()
    rows = [row for check in checks for row in _rows(check, sources)]
    return together(
        [
            element("h3", "Claims that you will read elsewhere"),
            element("p", CLAIM_NOTE),
            table("Public claims beside list prices", _COLUMNS, rows),
        ]
    )


def _rows(check: ClaimCheck, sources: Mapping[str, str]) -> list[Row]:
    titles = "; ".join(sources.get(key, key) for key in check.claim.source)
    said_by = f"{titles} (looked at {check.claim.date})"
    claim = claim_words(check.claim)
    if not check.pairs:
        return [Row((claim, said_by, "", "no two prices of the same kind are known", ""))]
    return [
        Row((claim, said_by, compared_words(pair), peak_words(pair), agreeing_words(pair)))
        for pair in check.pairs
    ]
