"""Zones: the one of a cluster's nodes, chosen the same way every time, and those beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import zone_ids_offering
from trnkit.layout.capacity import uses_capacity_block

if TYPE_CHECKING:
    from trnkit.config import ClusterConfig


def compute_zone_id(cluster: ClusterConfig) -> str | None:
    """The zone id of the accelerated nodes and their file systems.

    Returns:
        The file's own, else the first in order of name that the catalogue lists for every instance
        type of the file, else None.
    """
    if named := named_zone_id(cluster):
        return named
    common = common_zone_ids(cluster)
    return common[0] if common else None


def named_zone_id(cluster: ClusterConfig) -> str | None:
    """The zone id of the nodes that the file itself names: an existing subnet has one already."""
    existing = cluster.network.existing
    return existing.availability_zone_id if existing else cluster.network.availability_zone_id


def zone_key(cluster: ClusterConfig) -> tuple[str, ...]:
    """The key under which the file names the zone of the nodes, or would."""
    above = ("network", "existing") if cluster.network.existing else ("network",)
    return (*above, "availability_zone_id")


def common_zone_ids(cluster: ClusterConfig) -> tuple[str, ...]:
    """Zones of the region that the catalogue lists for every instance type of the file, sorted.

    A type that is listed nowhere in the region counts for nothing when it comes from a Capacity
    Block: blocks are sold in places that the offerings do not list.
    """
    offers = [
        set(zone_ids_offering(group.instance_type, cluster.region) or ())
        for group in cluster.compute.node_groups
        if not (
            uses_capacity_block(group)
            and zone_ids_offering(group.instance_type, cluster.region) == ()
        )
    ]
    return tuple(sorted(set[str].intersection(*offers))) if offers else ()


def zone_number(zone_id: str) -> int | None:
    """The number at the end of a zone's id: 3 for `use2-az3`.

    Returns:
        None for what is not the id of an Availability Zone: a zone name, a Local Zone's id.
    """
    region, separator, number = zone_id.partition("-az")
    if not separator or not region.isalnum() or not number.isdecimal():
        return None
    return int(number)
