"""What a cluster's nodes cost per hour at list price, as far as a source shows the price."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import InstancePrice, find_instance_price

if TYPE_CHECKING:
    from trnkit.config import ClusterConfig

_BILLED_BY_THE_HOUR = {"on-demand", "on-demand-reservation"}
"""A Spot price is not known beforehand, and a Capacity Block is paid when it is bought."""


@dataclass(frozen=True, slots=True)
class GroupPrice:
    """A node group whose list price is known.

    Attributes:
        name: The group's name.
        count: Its nodes.
        price: The catalogue's price of one node.
        usd_per_hour: What one node costs in an hour.
    """

    name: str
    count: int
    price: InstancePrice
    usd_per_hour: float

    @property
    def usd_per_day(self) -> float:
        """What all its nodes cost in 24 hours."""
        return self.count * self.usd_per_hour * 24


def group_prices(cluster: ClusterConfig) -> tuple[GroupPrice, ...]:
    """The node groups billed by the hour whose price is known: a lower bound of the fleet's."""
    found: list[GroupPrice] = []
    for group in cluster.compute.node_groups:
        price = find_instance_price(group.instance_type, cluster.region)
        if group.capacity.type not in _BILLED_BY_THE_HOUR or not group.count:
            continue
        if price is not None and price.usd_per_hour is not None:
            found.append(GroupPrice(group.name, group.count, price, price.usd_per_hour))
    return tuple(found)
