"""How long the month's limit lasts with every node running: what a file promises of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.layout.capacity import uses_capacity_block
from trnkit.layout.guard_plans import least_usd_per_hour, month_limit_usd

if TYPE_CHECKING:
    from trnkit.catalog.price_book import PriceBook
    from trnkit.config import ClusterConfig

SHORTEST_MONTH_DAYS = 28
"""A limit that lasts so long is never passed in the shortest month; AWS counts calendar months."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitReach:
    """The month's limit beside what the cluster costs at least, day and night, every node running.

    Attributes:
        limit_usd: What a calendar month may cost.
        usd_per_hour: What an hour costs at least: nodes whose price is known, but not those of
            Capacity Blocks, which are paid beforehand; with a watchdog also what else it counts.
        enforced_at_usd: Spent in the month when enforcement begins; None without it.
    """

    limit_usd: float
    usd_per_hour: float
    enforced_at_usd: float | None

    @property
    def days(self) -> float:
        """Days until the limit is passed, at the latest."""
        return self.limit_usd / self.usd_per_hour / 24

    @property
    def days_to_enforcement(self) -> float | None:
        """Days until enforcement begins, at the latest; None without it."""
        at = self.enforced_at_usd
        return None if at is None else at / self.usd_per_hour / 24

    @property
    def lasts(self) -> bool:
        """Whether some month is over before the limit is passed."""
        return self.days >= SHORTEST_MONTH_DAYS


def limit_reach(cluster: ClusterConfig, book: PriceBook) -> LimitReach | None:
    """How far the month's limit reaches.

    Args:
        cluster: The cluster.
        book: What things cost.

    Returns:
        None where the file has no limit in US dollars for a month of the whole cluster, or no
        node whose price is known.
    """
    limit, hourly = month_limit_usd(cluster), least_usd_per_hour(cluster, book)
    if limit is None or hourly <= 0:
        return None
    watchdog = cluster.budget.watchdog
    enforced_at = None
    if watchdog is not None:
        hourly += _beside_instances(cluster, book)
        if watchdog.enforcement is not None:
            enforced_at = limit * watchdog.enforcement.at_month_to_date_percent / 100
    return LimitReach(limit_usd=limit, usd_per_hour=hourly, enforced_at_usd=enforced_at)


def _beside_instances(cluster: ClusterConfig, book: PriceBook) -> float:
    """At least, of everything that a watchdog counts and that is no instance."""
    # Imported here: without a watchdog no check needs it.
    from trnkit.layout.cost import beside_node_usd_per_hour, fixed_usd_per_hour

    return fixed_usd_per_hour(cluster, book).low + sum(
        beside_node_usd_per_hour(cluster, book, group.name).low * group.count
        for group in cluster.compute.node_groups
        if not uses_capacity_block(group)
    )
