"""What a cluster's nodes cost per hour, as far as its file of prices or a source shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trnkit.catalog.price_book import UnitPrice
    from trnkit.config import ClusterConfig

_BILLED_BY_THE_HOUR = {"on-demand", "on-demand-reservation"}
"""A Spot price is not known beforehand, and a Capacity Block is paid when it is bought."""


@dataclass(frozen=True, slots=True)
class GroupPrice:
    """A node group whose price is known.

    Attributes:
        name: The group's name.
        instance_type: EC2 instance type of its nodes.
        count: Its nodes.
        price: What one node costs in an hour.
    """

    name: str
    instance_type: str
    count: int
    price: UnitPrice

    @property
    def usd_per_hour(self) -> float:
        """What one node costs in an hour."""
        return self.price.low

    @property
    def usd_per_day(self) -> float:
        """What all its nodes cost in 24 hours."""
        return self.count * self.usd_per_hour * 24


def group_prices(cluster: ClusterConfig) -> tuple[GroupPrice, ...]:
    """The node groups billed by the hour whose price is known: a lower bound of the fleet's."""
    from trnkit.layout.price_book import price_book  # Every check would import it.

    book = price_book(cluster)
    found: list[GroupPrice] = []
    for group in cluster.compute.node_groups:
        if group.capacity.type not in _BILLED_BY_THE_HOUR or not group.count:
            continue
        price = book.instance(group.instance_type, cluster.region, "on-demand")
        if price is not None and price.basis != "other regions":
            found.append(GroupPrice(group.name, group.instance_type, group.count, price))
    return tuple(found)
