"""What a cluster costs by the hour and the month, from its file and a price book alone.

A component is a module with a function that yields lines; `_COMPONENTS` is the only list of them.
What is free is no line. No clock, no AWS: the same file and book give the same cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.layout.cost.assumptions import Assumptions
from trnkit.layout.cost.billing import Billing
from trnkit.layout.cost.encryption_keys import key_lines
from trnkit.layout.cost.guard import guard_lines
from trnkit.layout.cost.homes_and_buckets import bucket_lines, home_lines
from trnkit.layout.cost.images import image_lines
from trnkit.layout.cost.lines import ClusterCost, Money, total
from trnkit.layout.cost.lustre import lustre_lines
from trnkit.layout.cost.monitoring import monitoring_lines
from trnkit.layout.cost.network import network_lines, transfer_lines
from trnkit.layout.cost.node_volumes import node_volume_lines
from trnkit.layout.cost.nodes import node_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trnkit.catalog.price_book import PriceBook
    from trnkit.config import ClusterConfig
    from trnkit.layout.cost.lines import CostLine

_COMPONENTS: tuple[Callable[[Billing], Iterator[CostLine]], ...] = (
    node_lines,
    node_volume_lines,
    lustre_lines,
    home_lines,
    bucket_lines,
    network_lines,
    monitoring_lines,
    key_lines,
    guard_lines,
    image_lines,
    transfer_lines,
)


def cluster_cost(
    cluster: ClusterConfig, book: PriceBook, assumptions: Assumptions | None = None
) -> ClusterCost:
    """What a cluster costs.

    Args:
        cluster: The cluster.
        book: What things cost.
        assumptions: How it is used; the defaults when left out.
    """
    said = assumptions or Assumptions()
    billing = Billing(cluster, book, said)
    return ClusterCost(
        cluster=cluster.name,
        region=cluster.region,
        assumptions=said,
        lines=tuple(line for lines in _COMPONENTS for line in lines(billing)),
        chips=_chips(cluster),
    )


def fixed_usd_per_hour(cluster: ClusterConfig, book: PriceBook) -> Money:
    """What everything beside nodes costs in an hour, whether they run or not.

    Volumes and metrics of nodes go with them, and use that nobody told is none.
    """
    lines = cluster_cost(cluster, book).lines
    fixed = (line for line in lines if line.course == "always" and line.component != "nodes")
    return total(line.hourly for line in fixed)


def beside_node_usd_per_hour(cluster: ClusterConfig, book: PriceBook, group: str) -> Money:
    """What goes with one running node of a group and is no instance: its volumes and metrics.

    Args:
        cluster: The cluster.
        book: What things cost.
        group: The group's name.
    """
    of_group = [one for one in cluster.compute.node_groups if one.name == group]
    one_node = tuple(one.model_copy(update={"count": 1}) for one in of_group)
    compute = cluster.compute.model_copy(update={"node_groups": one_node})
    alone = cluster.model_copy(update={"compute": compute})
    lines = cluster_cost(alone, book).lines
    return total(
        line.hourly for line in lines if line.course == "nodes" and line.component != "nodes"
    )


def _chips(cluster: ClusterConfig) -> int | None:
    chips = 0
    for group in cluster.compute.node_groups:
        known = find_instance_type(group.instance_type) if group.count else None
        if known is None or known.chips is None:
            if group.count:
                return None
            continue
        chips += group.count * known.chips
    return chips
