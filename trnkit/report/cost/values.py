"""What a page about cost is made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from trnkit.catalog.price_book import UnitPrice
    from trnkit.findings import Finding
    from trnkit.layout.cost.alternatives import WorkComparison
    from trnkit.layout.cost.claims import ClaimCheck
    from trnkit.layout.cost.lines import ClusterCost
    from trnkit.layout.cost.month import CostMonth


@dataclass(frozen=True, slots=True, kw_only=True)
class CostReport:
    """What is known of a cluster's cost.

    Attributes:
        file: The cluster file, as the user named it.
        cost: The estimate.
        month: A month day by day; None when no day differs from another.
        comparison: Other ways to do the same work; None when nobody asked.
        claims: Public claims beside our figures; () when nobody asked.
        sources: Key of a source and its title.
        findings: What the rules say of the file.
        limit: What there is to say of the month's limit; "" for nothing.
        today: The day on which prices may be stale; None: no price is called stale.
    """

    file: str
    cost: ClusterCost
    month: CostMonth | None
    comparison: WorkComparison | None
    claims: tuple[ClaimCheck, ...]
    sources: Mapping[str, str]
    findings: tuple[Finding, ...]
    today: date | None
    limit: str = ""

    @property
    def compared_spot(self) -> tuple[str, ...]:
        """Items of the price book: what is compared as Spot."""
        ways = () if self.comparison is None else self.comparison.ways
        return tuple(f"{way.machine.instance_type} spot" for way in ways if way.purchase == "spot")

    def prices(self) -> tuple[UnitPrice, ...]:
        """Every price that counts in it, once, in the order in which it is met."""
        found = list(self.cost.prices)
        if self.comparison is not None:
            found += [way.price for way in self.comparison.ways if way.price is not None]
        return tuple(dict.fromkeys(found))
