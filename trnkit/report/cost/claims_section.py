"""Public claims beside our figures, as a part of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.report.cost.alternatives_words import (
    CLAIM_NOTE,
    claim_words,
    no_pair_words,
    pair_words,
)
from trnkit.report.pages.markup import Markup, element, together
from trnkit.report.pages.tables import Column, Row, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trnkit.layout.cost.claims import ClaimCheck

_COLUMNS = (
    Column("Claim"),
    Column("Said by"),
    Column("Why other figures differ"),
    Column("What list prices and dense peaks give"),
)


def claim_section(checks: Sequence[ClaimCheck], sources: Mapping[str, str]) -> Markup:
    """Each claim, who says it, why others differ, and what our figures give.

    Args:
        checks: The claims; nothing is shown without one.
        sources: Key of a source and its title.
    """
    if not checks:
        return Markup()
    return together(
        [
            element("h3", "Claims that you will read elsewhere"),
            element("p", CLAIM_NOTE),
            table(
                "Public claims beside list prices",
                _COLUMNS,
                [_row(check, sources) for check in checks],
            ),
        ]
    )


def _row(check: ClaimCheck, sources: Mapping[str, str]) -> Row:
    claim = check.claim
    titles = "; ".join(sources.get(key, key) for key in claim.source)
    pairs = [element("p", pair_words(pair)) for pair in check.pairs]
    return Row(
        (
            claim_words(claim),
            f"{titles} (looked at {claim.date})",
            claim.explanation,
            together(pairs) if pairs else no_pair_words(check),
        )
    )
