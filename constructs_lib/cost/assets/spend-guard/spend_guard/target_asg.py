"""Auto Scaling groups: the process `Launch` is suspended, and sizes are set to zero.

Sources:
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-suspend-resume-processes.html
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-instance-protection.html
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-enter-exit-standby.html
    https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-warm-pools.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .standing import Target
from .tags import CLUSTER_TAG, NODE_GROUP_TAG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .enforcement_plan import Group

_LAUNCH = ["Launch"]


class AutoScalingDriver:
    """Groups are found by their tags: `trnkit-cluster` and `trnkit-node-group`."""

    def __init__(self, client: Any, cluster: str) -> None:
        self._client, self._cluster = client, cluster

    def read(self, groups: Sequence[Group]) -> dict[str, Target]:
        """How groups stand now."""
        pages = self._client.get_paginator("describe_auto_scaling_groups").paginate(
            Filters=[{"Name": f"tag:{CLUSTER_TAG}", "Values": [self._cluster]}]
        )
        found: dict[str, list[dict[str, Any]]] = {}
        for page in pages:
            for told in page["AutoScalingGroups"]:
                tags = {tag["Key"]: tag.get("Value") for tag in told.get("Tags", ())}
                # The filter is AWS's; what is not the cluster's is not touched if it fails.
                if tags.get(CLUSTER_TAG) == self._cluster and "Status" not in told:
                    found.setdefault(str(tags.get(NODE_GROUP_TAG)), []).append(told)
        return {group.name: _target(found.get(group.name, [])) for group in groups}

    def deny_launches(self, resource: str, target: Target) -> None:
        """Suspend `Launch`; all else goes on, so that nodes can still be scaled in."""
        self._client.suspend_processes(AutoScalingGroupName=resource, ScalingProcesses=_LAUNCH)

    def scale_in(self, resource: str, target: Target) -> None:
        """Set least and desired size to zero; the largest stays."""
        self._client.update_auto_scaling_group(
            AutoScalingGroupName=resource, MinSize=0, DesiredCapacity=0
        )

    def restore(self, resource: str, target: Target, before: dict[str, Any]) -> str | None:
        """Set the sizes of before, as far as the largest allows, and resume `Launch`."""
        remark = None
        now = target.sizes
        wanted = {size: min(before[size], now["max"]) for size in ("min", "desired")}
        if before["scaled_in"] and (now["min"], now["desired"]) != tuple(wanted.values()):
            if now["desired"] == 0:
                self._client.update_auto_scaling_group(
                    AutoScalingGroupName=resource,
                    MinSize=wanted["min"],
                    DesiredCapacity=wanted["desired"],
                )
            else:
                remark = f"somebody has set its size to {now['desired']}, which is left so"
        if wanted["desired"] < before["desired"] and remark is None:
            remark = f"at most {now['max']} nodes are allowed now, and {before['desired']} ran"
        if not before["launches_denied"]:
            self._client.resume_processes(AutoScalingGroupName=resource, ScalingProcesses=_LAUNCH)
        return remark


def _target(told: list[dict[str, Any]]) -> Target:
    if len(told) != 1:
        return Target(status="ambiguous" if told else "gone")
    (group,) = told
    suspended = {process["ProcessName"] for process in group.get("SuspendedProcesses", ())}
    return Target(
        status="ok",
        resource=group["AutoScalingGroupName"],
        sizes={
            "min": group["MinSize"],
            "max": group["MaxSize"],
            "desired": group["DesiredCapacity"],
        },
        launches_denied="Launch" in suspended,
        keeps_nodes=_keeps_nodes(group, suspended),
    )


def _keeps_nodes(group: dict[str, Any], suspended: set[str]) -> str:
    """What Auto Scaling does not end when no node is wanted, and when it ends none at all."""
    nodes = group.get("Instances", ())
    counts = {
        "protected from scale-in": sum(bool(node.get("ProtectedFromScaleIn")) for node in nodes),
        "in standby": sum("Standby" in node["LifecycleState"] for node in nodes),
        "held by a lifecycle hook": sum(
            node["LifecycleState"] == "Terminating:Wait" for node in nodes
        ),
        "in its warm pool": group.get("WarmPoolSize") or 0,
    }
    found = [f"{count} {what}" for what, count in counts.items() if count]
    if "Terminate" in suspended:
        found.append("the process Terminate is suspended")
    return ", ".join(found)
