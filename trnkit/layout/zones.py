"""The one zone of a cluster's nodes: named in the file, or chosen the same way every time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import zone_ids_offering

if TYPE_CHECKING:
    from trnkit.config import ClusterConfig


def compute_zone_id(cluster: ClusterConfig) -> str | None:
    """The zone id of the accelerated nodes and their file systems.

    Returns:
        The file's own, else the first in order of name that the catalogue lists for every instance
        type of the file, else None.
    """
    if cluster.network.availability_zone_id:
        return cluster.network.availability_zone_id
    common = common_zone_ids(cluster)
    return common[0] if common else None


def common_zone_ids(cluster: ClusterConfig) -> tuple[str, ...]:
    """Zones of the region that the catalogue lists for every instance type of the file, sorted."""
    offers = [
        set(zone_ids_offering(group.instance_type, cluster.region) or ())
        for group in cluster.compute.node_groups
    ]
    return tuple(sorted(set[str].intersection(*offers)))
