"""Services that nodes call while they boot, and what they ask of each.

docs/boot.md has the steps behind them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.layout.draining import drain_plan

if TYPE_CHECKING:
    from trnkit.config import ClusterConfig


@dataclass(frozen=True, slots=True)
class NodeService:
    """A service that nodes call.

    Attributes:
        is_needed: Whether nodes cannot work without it.
        lacks: What is lacking without it.
        action: What they ask first, as an IAM action.
    """

    is_needed: bool
    lacks: str
    action: str


_NO_SESSIONS = "Session Manager does not reach the nodes"
_NOT_TOLD = f"{_NO_SESSIONS}, and nothing tells them to write a checkpoint"


def node_services(cluster: ClusterConfig) -> dict[str, NodeService]:
    """The services by the last part of their endpoints' names; S3 is not among them."""
    unmanaged = _NOT_TOLD if _are_told(cluster) else _NO_SESSIONS
    needed = {
        "autoscaling": NodeService(
            True,
            "nodes cannot report that they are ready, and are replaced forever",
            "autoscaling:CompleteLifecycleAction",
        ),
        "ec2": NodeService(False, "nodes cannot tag themselves with their state", "ec2:CreateTags"),
        "ssm": NodeService(False, unmanaged, "ssm:UpdateInstanceInformation"),
        "ssmmessages": NodeService(False, unmanaged, "ssmmessages:CreateControlChannel"),
    }
    if cluster.observability.cloudwatch_agent and cluster.compute.boot.delivery == "s3-asset":
        needed["logs"] = NodeService(False, "logs of the nodes are lost", "logs:PutLogEvents")
        needed["monitoring"] = NodeService(
            False, "metrics of the nodes are lost", "cloudwatch:PutMetricData"
        )
    return needed


def _are_told(cluster: ClusterConfig) -> bool:
    """Whether Systems Manager shall tell any node to write a checkpoint."""
    watchdog = cluster.budget.watchdog
    stages = watchdog.enforcement if watchdog is not None else None
    if stages is not None and stages.checkpoint_minutes:
        return True
    return any(drain_plan(group) is not None for group in cluster.compute.node_groups)
