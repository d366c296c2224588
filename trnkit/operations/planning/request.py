"""What a plan is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from trnkit.catalog.price_book import PriceBook

if TYPE_CHECKING:
    from datetime import datetime

    from trnkit.operations.planning.market import NodeNeed

Purchase: TypeAlias = Literal["on-demand", "on-demand-reservation", "spot", "capacity-block"]
"""Ways to buy, as `compute.node_groups[].capacity.type` names them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """What is wanted, and where.

    Attributes:
        regions: Regions to compare.
        needs: Instances that are wanted together, in one zone.
        purchases: Ways to buy to compare.
        hours: For how long; None when it is not said, and then no Capacity Block is asked for.
        earliest: When a Capacity Block may start, at the earliest; None is now.
        latest: When it must have started, at the latest; None is as AWS takes it.
        services: Names of services that the Region must have (see `RegionMarket.services`).
        data_region: Region of the data in S3; None when it is not known.
        cluster: Name of the cluster, which may be deployed already: its own nodes are told apart.
        book: Prices that the cluster states, its discount, and the catalogue.
    """

    regions: tuple[str, ...]
    needs: tuple[NodeNeed, ...]
    purchases: frozenset[Purchase]
    hours: int | None = None
    earliest: datetime | None = None
    latest: datetime | None = None
    services: tuple[str, ...] = ()
    data_region: str | None = None
    cluster: str | None = None
    book: PriceBook = field(default_factory=PriceBook, compare=False)

    @property
    def wants_on_demand(self) -> bool:
        """Whether On-Demand prices and quotas are of interest; a reservation has the same."""
        return not self.purchases.isdisjoint({"on-demand", "on-demand-reservation"})
