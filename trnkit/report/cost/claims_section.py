"""Public claims beside our figures, as a part of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.report.cost.alternatives_words import CLAIM_NOTE, no_pair_words, pair_words
from trnkit.report.pages.markup import Markup, element, together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.layout.cost.claims import ClaimCheck
    from trnkit.report.cost.citations import Citations


def claim_section(checks: Sequence[ClaimCheck], sources: Citations) -> Markup:
    """Each claim, who says it, why others differ, and what our figures give.

    Args:
        checks: The claims; nothing is shown without one.
        sources: Numbers of sources.
    """
    if not checks:
        return Markup()
    entries = [part for check in checks for part in _entry(check, sources)]
    return together(
        [
            element("h3", "Claims that you will read elsewhere"),
            element("p", CLAIM_NOTE),
            element("dl", *entries, class_="claims"),
        ]
    )


def _entry(check: ClaimCheck, sources: Citations) -> list[Markup]:
    claim = check.claim
    said = together([f"{claim.conditions} ", sources.cite(claim.source), f" ({claim.date})"])
    ours = [pair_words(pair) for pair in check.pairs] or [no_pair_words(check)]
    return [
        element("dt", claim.words),
        element("dd", said),
        element("dd", claim.explanation),
        *(element("dd", words, class_="faint") for words in ours if words),
    ]
