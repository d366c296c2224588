"""Public claims about prices, beside what list prices and peak compute give.

A claim is never taken as a measurement. What is computed is how far it is from prices alone, and
which use of the peak would make both agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.catalog import PriceClaim
    from trnkit.catalog.price_book import InstancePurchase
    from trnkit.layout.cost.alternatives import Way, WorkComparison


@dataclass(frozen=True, slots=True)
class Span:
    """A ratio, at least and at most.

    Attributes:
        low: At least.
        high: At most.
    """

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPair:
    """Two types bought in the same way.

    Attributes:
        subject: The type that is praised.
        other: The type beside it.
        purchase: How both are bought.
        times_the_peak: How many times the dense BF16 peak a dollar buys, at list prices.
        agreeing_use: What share of its peak the first would have to reach, for each share that the
            other reaches, for claim and prices to agree; None where the claim has no figure.
    """

    subject: str
    other: str
    purchase: InstancePurchase
    times_the_peak: Span
    agreeing_use: Span | None


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """A claim beside our figures.

    Attributes:
        claim: The claim.
        pairs: What our figures give; () when no two types have a price of the same kind.
    """

    claim: PriceClaim
    pairs: tuple[ClaimPair, ...]


def check_claims(
    claims: Sequence[PriceClaim], comparison: WorkComparison
) -> tuple[ClaimCheck, ...]:
    """Put claims beside the prices of a comparison.

    Args:
        claims: The claims.
        comparison: Prices and peaks of the types that they are about.
    """
    return tuple(ClaimCheck(claim, _pairs(claim, comparison.ways)) for claim in claims)


def _pairs(claim: PriceClaim, ways: Sequence[Way]) -> tuple[ClaimPair, ...]:
    by_name = sorted(ways, key=lambda way: (way.machine.instance_type, way.purchase))
    found = [
        _pair(claim, subject, other)
        for subject in by_name
        for other in by_name
        if subject.machine.family in claim.subject
        and other.machine.family in claim.others
        and subject.purchase == other.purchase
    ]
    return tuple(pair for pair in found if pair is not None)


def _pair(claim: PriceClaim, subject: Way, other: Way) -> ClaimPair | None:
    ours, theirs = subject.peak_tflop_hour, other.peak_tflop_hour
    if ours.high is None or theirs.high is None or not ours.low > 0 or not theirs.low > 0:
        return None
    peak = Span(theirs.low / ours.high, theirs.high / ours.low)
    return ClaimPair(
        subject=subject.machine.instance_type,
        other=other.machine.instance_type,
        purchase=subject.purchase,
        times_the_peak=peak,
        agreeing_use=_agreeing_use(claim, peak),
    )


def _agreeing_use(claim: PriceClaim, peak: Span) -> Span | None:
    if claim.least is None or claim.most is None:
        return None
    return Span(claim.least / peak.high, claim.most / peak.low)
