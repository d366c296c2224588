"""What the software on a node takes for granted: ports, huge pages."""

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
        efa_huge_pages_2mib: Huge pages of 2 MiB that the EFA driver's installation reserves.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    rendezvous_port: int
    efa_huge_pages_2mib: int
    source: tuple[str, ...]
    date: str


@cache
def node_facts() -> NodeFacts:
    """Return what every node has."""
    return NodeFacts(**table("nodes")["nodes"])
