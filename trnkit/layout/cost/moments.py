"""What happens when to the nodes of a Capacity Block: the moments that its fee pays between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.layout.capacity import block_times

if TYPE_CHECKING:
    from datetime import datetime

    from trnkit.config import ClusterConfig, NodeGroupConfig


@dataclass(frozen=True, slots=True)
class BlockMoment:
    """Something that happens to a group of nodes.

    Attributes:
        at: When, in UTC.
        what: What, in words.
    """

    at: datetime
    what: str


def block_moments(cluster: ClusterConfig, group: NodeGroupConfig) -> tuple[BlockMoment, ...]:
    """Start, checkpoint, scale-in, termination and end of a group's block, in that order.

    Args:
        cluster: The cluster.
        group: The group.

    Returns:
        () without a Capacity Block, or without its times.
    """
    times = block_times(group)
    if times is None:
        return ()
    start = ", nodes start" if group.capacity.launch == "at-start" else ""
    found = [BlockMoment(times.start, f"the Capacity Block begins{start}")]
    # Boot scripts in user data bring no program that could be told anything.
    if times.checkpoint is not None and cluster.compute.boot.delivery != "inline":
        found.append(BlockMoment(times.checkpoint, "nodes are told to write a checkpoint"))
    return (
        *found,
        BlockMoment(times.scale_in, "the group is scaled in to 0"),
        BlockMoment(times.termination, "EC2 begins to terminate what still runs"),
        BlockMoment(times.end, "the Capacity Block ends"),
    )
