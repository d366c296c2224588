"""Instances that wait for a launch hook of their group, and who lets them in.

On AWS a node completes the action itself when its boot has ended well. Nodes do not boot here, so
the rehearsal does it in their place, by the same calls, and says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trnkit.operations.rehearsal.node_boot import launch_hooks

if TYPE_CHECKING:
    from trnkit.emulation.resources.resource import Clients

_WAITING, _IN_SERVICE = "Pending:Wait", "InService"


@dataclass(frozen=True, slots=True, kw_only=True)
class LetIn:
    """What became of the instances of a group that has launch hooks.

    Attributes:
        group: The group's name.
        hooks: The names of the hooks.
        waited: How many instances waited.
        outside: Instances that are not in service now, with their states.
    """

    group: str
    hooks: tuple[str, ...]
    waited: int
    outside: tuple[str, ...]


def let_nodes_in(clients: Clients) -> tuple[LetIn, ...]:
    """Complete the actions of all instances of a region that wait.

    Args:
        clients: Gives boto3 clients of the region.

    Returns:
        One entry for each group with launch hooks.
    """
    client = clients("autoscaling")
    pages = client.get_paginator("describe_auto_scaling_groups").paginate()
    groups = [group for page in pages for group in page["AutoScalingGroups"]]
    found: list[LetIn] = []
    for group in groups:
        name = str(group["AutoScalingGroupName"])
        hooks = tuple(launch_hooks(clients, name))
        if not hooks:
            continue
        waiting = [i for i, state in _states(group).items() if state == _WAITING]
        for instance_id in waiting:
            for hook in hooks:
                _report_ready(client, name, hook, instance_id)
        answer = client.describe_auto_scaling_groups(AutoScalingGroupNames=[name])
        after = _states(answer["AutoScalingGroups"][0])
        outside = tuple(f"{i} is {s}" for i, s in after.items() if s != _IN_SERVICE)
        found.append(LetIn(group=name, hooks=hooks, waited=len(waiting), outside=outside))
    return tuple(found)


def _report_ready(client: Any, group: str, hook: str, instance_id: str) -> None:
    """What the boot of a node does: a sign of life, then the result."""
    named = {
        "AutoScalingGroupName": group,
        "LifecycleHookName": hook,
        "InstanceId": instance_id,
    }
    client.record_lifecycle_action_heartbeat(**named)
    client.complete_lifecycle_action(**named, LifecycleActionResult="CONTINUE")


def _states(group: Any) -> dict[str, str]:
    return {one["InstanceId"]: one["LifecycleState"] for one in group.get("Instances", ())}
