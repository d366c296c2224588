"""Which group of a cluster file is tested, and the plan that the runner on nodes gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trnkit.errors import UsageError
from trnkit.findings import Severity, nearest
from trnkit.layout.smoke import SmokeTargetError, smoke_target
from trnkit.operations.checking import check_files
from trnkit.operations.smoke.node_files import default_plan

if TYPE_CHECKING:
    from trnkit.config import ClusterConfig, NodeGroupConfig
    from trnkit.findings import Finding
    from trnkit.layout.smoke import SmokeTarget, Stack

PLAN_KIND = "trn-smoke-plan"
_MARGIN_SECONDS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeRequest:
    """What the user asked for.

    Attributes:
        node_group: The group; None where there is only one.
        nodes: How many nodes; None for all.
        stack: The framework of the training step; None for the one that trains on the type.
        python: The Python of that framework on nodes; None: the runner looks for it.
    """

    node_group: str | None = None
    nodes: int | None = None
    stack: Stack | None = None
    python: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What checking and planning gave.

    Attributes:
        findings: Of the cluster file.
        target: What is tested; None when the file has errors.
        plan: The runner's plan, as JSON values; empty when the file has errors.
    """

    findings: tuple[Finding, ...]
    target: SmokeTarget | None = None
    plan: dict[str, Any] | None = None


def make_plan(file: str, request: SmokeRequest) -> Planned:
    """Check a cluster file and plan a test of one of its groups.

    Args:
        file: The cluster file.
        request: What the user asked for.

    Raises:
        UsageError: There is no such group, or it has fewer nodes than asked for.
    """
    report = check_files([file])
    if not report.clusters or any(f.severity is Severity.ERROR for f in report.findings):
        return Planned(findings=report.findings)
    cluster = report.clusters[0].config
    group = _group(cluster, request.node_group)
    try:
        target = smoke_target(cluster, group, nodes=request.nodes, stack=request.stack)
    except SmokeTargetError as error:
        raise UsageError(str(error)) from None
    return Planned(findings=report.findings, target=target, plan=plan_for(target, request))


def _group(cluster: ClusterConfig, name: str | None) -> NodeGroupConfig:
    groups = {group.name: group for group in cluster.compute.node_groups}
    if name is not None:
        if name not in groups:
            close = nearest(name, groups) or tuple(groups)[:3]
            raise UsageError(f"there is no node group {name!r}; did you mean {' or '.join(close)}?")
        return groups[name]
    if len(groups) != 1:
        shown = ", ".join(list(groups)[:3]) + (" and more" if len(groups) > 3 else "")
        raise UsageError(
            f"there are {len(groups)} node groups ({shown}): choose one with --node-group"
        )
    return next(iter(groups.values()))


def plan_for(target: SmokeTarget, request: SmokeRequest) -> dict[str, Any]:
    """The plan of the runner on nodes, as JSON values.

    Args:
        target: What is tested.
        request: What the user asked for.
    """
    defaults = default_plan()
    return {
        **defaults,
        "kind": PLAN_KIND,
        "cluster": target.cluster,
        "node_group": target.node_group,
        "instance_type": target.kind.name,
        "nodes": target.nodes,
        "across_nodes": target.alone is None,
        "devices_per_node": target.devices,
        "ranks_per_node": target.ranks_per_node,
        "logical_neuroncore_size": target.logical_neuroncore_size,
        "efa_interfaces": target.efa_interfaces,
        "step": {**defaults["step"], "stack": target.stack, "python": request.python},
    }


def run_seconds(plan: dict[str, Any]) -> int:
    """How long all parts take at most, with a margin for starting them.

    Args:
        plan: The plan.
    """
    limits = plan["limits_seconds"]
    again = limits["sweep"] if plan["across_nodes"] else 0
    return sum(limits.values()) + again + _MARGIN_SECONDS
