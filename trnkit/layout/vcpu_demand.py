"""What a cluster asks of the vCPU quotas of EC2.

Sources:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-on-demand-instances.html (limits)
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-spot-limits.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-limits.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trnkit.layout.capacity import existing_placement_group

if TYPE_CHECKING:
    from trnkit.config import ClusterConfig, NodeGroupConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDemand:
    """What one node group asks of a quota.

    Attributes:
        index: Its place in the file.
        name: Its name.
        instance_type: Its type.
        purchase: Which of the two quotas of the family counts.
        count: Nodes at the most. There is no rolling update, so there are never more.
        takes_open_reservations: Whether nodes may run in any open reservation that matches, which
            counts already.
        placement_group: The existing placement group that its nodes are in.
    """

    index: int
    name: str
    instance_type: str
    purchase: Literal["on-demand", "spot"]
    count: int
    takes_open_reservations: bool
    placement_group: str | None


def group_demands(cluster: ClusterConfig) -> tuple[GroupDemand, ...]:
    """The node groups that a vCPU quota limits.

    Neither Capacity Blocks nor nodes of a reservation made elsewhere are among them: the former
    count against no quota, and the latter's reservation counts since it was made.
    """
    return tuple(
        GroupDemand(
            index=index,
            name=group.name,
            instance_type=group.instance_type,
            purchase="spot" if group.capacity.type == "spot" else "on-demand",
            count=group.count,
            takes_open_reservations=group.capacity.type == "on-demand"
            and group.capacity.capacity_reservation_preference != "none",
            placement_group=existing_placement_group(group),
        )
        for index, group in enumerate(cluster.compute.node_groups)
        if group.count and _is_limited(group)
    )


def _is_limited(group: NodeGroupConfig) -> bool:
    capacity = group.capacity
    if capacity.type == "on-demand-reservation":
        return capacity.create is not None
    return capacity.type != "capacity-block"
