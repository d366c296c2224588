"""When the nodes of a group are told that they go, and the command that tells them.

Sources:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html
    https://docs.aws.amazon.com/systems-manager/latest/userguide/send-commands-multiple.html
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.layout.capacity import block_times, format_utc

if TYPE_CHECKING:
    from trnkit.config import NodeGroupConfig

DRAIN_PROGRAM = "/opt/trnkit/current/trn-drain/trn-drain"
"""Where a node has the program; boot scripts in user data do not bring it."""

BLOCK_ENDS = "the Capacity Block ends"


@dataclass(frozen=True, slots=True)
class DrainPlan:
    """When a group's nodes are told to write a checkpoint, and by when it must be written.

    Attributes:
        at: When they are told, as `2027-03-08T10:35:00Z`.
        deadline: When the group is scaled in.
        reason: Why, as people on the nodes read it.
    """

    at: str
    deadline: str
    reason: str


def drain_plan(group: NodeGroupConfig) -> DrainPlan | None:
    """When a group's nodes are told; None when they never are."""
    times = block_times(group)
    if times is None or times.checkpoint is None or group.count == 0:
        return None
    return DrainPlan(format_utc(times.checkpoint), format_utc(times.scale_in), BLOCK_ENDS)


def drain_command(deadline: str, reason: str) -> str:
    """The command line, for a shell, that drains a node."""
    return shlex.join([DRAIN_PROGRAM, "--deadline", deadline, "--reason", reason])
