"""What the software on a node takes for granted, and what EC2 says of every node."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from trnkit.catalog.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFacts:
    """What nodes have or must leave free.

    Attributes:
        rendezvous_port: Port at which the ranks of a job find the first one
            (`NEURON_RT_ROOT_COMM_ID`).
        detailed_monitoring_metrics: Metrics of an instance that EC2 sends once a minute with
            detailed monitoring, and that are billed.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    rendezvous_port: int
    detailed_monitoring_metrics: int
    source: tuple[str, ...]
    date: str


@cache
def node_facts() -> NodeFacts:
    """Return what every node has."""
    return NodeFacts(**table("nodes")["nodes"])
