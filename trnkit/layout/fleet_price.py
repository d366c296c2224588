"""What a cluster's nodes cost per hour, as far as a price is known for the cluster's Region.

Rules need certainty: prices of other Regions, Spot and Capacity Blocks are left out here.
`trnkit.layout.cost` estimates them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_price

if TYPE_CHECKING:
    from trnkit.config import ClusterConfig

_BILLED_BY_THE_HOUR = {"on-demand", "on-demand-reservation"}
"""A Spot price is not known beforehand, and a Capacity Block is paid when it is bought."""


@dataclass(frozen=True, slots=True)
class GroupPrice:
    """A node group whose price is known.

    Attributes:
        name: The group's name.
        count: Its nodes.
        instance_type: Their type.
        usd_per_hour: What one node costs in an hour, in the cluster's Region.
        date: Day on which that was last compared with its source.
    """

    name: str
    count: int
    instance_type: str
    usd_per_hour: float
    date: str

    @property
    def usd_per_day(self) -> float:
        """What all its nodes cost in 24 hours."""
        return self.count * self.usd_per_hour * 24


def group_prices(cluster: ClusterConfig) -> tuple[GroupPrice, ...]:
    """The node groups billed by the hour whose price is known: a lower bound of the fleet's."""
    found: list[GroupPrice] = []
    for group in cluster.compute.node_groups:
        if group.capacity.type not in _BILLED_BY_THE_HOUR or not group.count:
            continue
        price = _known_price(cluster, group.instance_type)
        if price is not None:
            found.append(GroupPrice(group.name, group.count, group.instance_type, *price))
    return tuple(found)


def _known_price(cluster: ClusterConfig, instance_type: str) -> tuple[float, str] | None:
    """US dollars an hour, and the date of the price."""
    if cluster.budget.prices is None:  # The book says the same, and every check would import it.
        listed = find_instance_price(instance_type, cluster.region)
        if listed is None or listed.usd_per_hour is None:
            return None
        return listed.usd_per_hour, listed.date
    from trnkit.layout.price_book import price_book

    price = price_book(cluster).instance(instance_type, cluster.region, "on-demand")
    return None if price is None or price.basis == "other regions" else (price.low, price.date)
