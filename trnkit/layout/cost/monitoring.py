"""CloudWatch: metrics of nodes and node groups, the requests that send them, and logs.

Sources:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/manage-detailed-monitoring.html
    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_billing.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import node_facts
from trnkit.layout.cost.billing import Billed
from trnkit.layout.cost.lines import HOURS_PER_MONTH
from trnkit.layout.cost.network import months_kept
from trnkit.layout.cost.nodes import running_hours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig, NodeGroupConfig
    from trnkit.layout.cost.billing import Billing
    from trnkit.layout.cost.lines import CostLine

METRICS_PER_NODE = 21
"""What a node sends, and as many of its group: docs/monitoring.md lists them."""

_REQUESTS_PER_NODE_HOUR = 60
_PATH = ("observability", "cloudwatch_agent")


def monitoring_lines(billing: Billing) -> Iterator[CostLine]:
    """What nodes send to CloudWatch, and logs of file systems."""
    cluster = billing.cluster
    agent = has_agent(cluster)
    for group in cluster.compute.node_groups:
        if group.count:
            yield _detailed_monitoring_line(billing, group)
            if agent:
                yield from _metric_lines(billing, group)
    if agent or any(one.log_configuration for one in cluster.storage.lustre_file_systems):
        yield from _log_lines(billing)


def has_agent(cluster: ClusterConfig) -> bool:
    """Whether nodes send anything: without their bundle they have no agent."""
    return cluster.observability.cloudwatch_agent and cluster.compute.boot.delivery != "inline"


def _detailed_monitoring_line(billing: Billing, group: NodeGroupConfig) -> CostLine:
    """The launch template switches it on for every node, with agent and without."""
    each = node_facts().detailed_monitoring_metrics
    return billing.by_month(
        Billed(
            key=f"monitoring/{group.name}: detailed monitoring",
            component="monitoring",
            name=f"{group.name}: EC2 detailed monitoring",
            path=("compute", "node_groups"),
            item="cloudwatch-metric-month",
            unit="metric-month",
        ),
        each * group.count,
        f"{each} metrics x {group.count} nodes",
        hours=running_hours(billing, group),
        course="nodes",
        assumption=f"{each} metrics an instance, as AWS's price page counts in its example",
    )


def _metric_lines(billing: Billing, group: NodeGroupConfig) -> Iterator[CostLine]:
    hours = running_hours(billing, group)
    number = METRICS_PER_NODE * (group.count + 1)
    yield billing.by_month(
        _billed(f"{group.name}: metrics", "cloudwatch-metric-month", "metric-month"),
        number,
        f"{METRICS_PER_NODE} metrics x ({group.count} nodes + 1 group)",
        hours=hours,
        course="nodes",
    )
    requests = group.count * _REQUESTS_PER_NODE_HOUR * HOURS_PER_MONTH
    yield billing.by_month(
        _billed(f"{group.name}: requests", "cloudwatch-put-metric-requests", "request"),
        requests,
        f"{group.count} nodes x {_REQUESTS_PER_NODE_HOUR} requests an hour x {HOURS_PER_MONTH}",
        hours=hours,
        course="nodes",
        assumption="the agent sends once a minute",
    )


def _log_lines(billing: Billing) -> Iterator[CostLine]:
    taken = _billed("logs: taken in", "cloudwatch-logs-ingestion", "GB")
    yield billing.by_use(taken, "log_gb")
    days = billing.cluster.observability.log_retention_days
    kept = _billed("logs: kept", "cloudwatch-logs-storage", "GB-month")
    note = f"{days} days kept, without compression"
    yield billing.by_use(kept, "log_gb", factor=months_kept(days), note=note)


def _billed(name: str, item: str, unit: str) -> Billed:
    return Billed(
        key=f"monitoring/{name}",
        component="monitoring",
        name=name,
        path=_PATH,
        item=item,
        unit=unit,
    )
