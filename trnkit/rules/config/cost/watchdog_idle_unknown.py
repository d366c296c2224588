"""TRN430: what shall notice idle nodes hears from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.guard_plans import node_metrics_namespace
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    watchdog = cluster.budget.watchdog
    if watchdog is None or node_metrics_namespace(cluster) is not None:
        return
    inline = cluster.compute.boot.delivery == "inline"
    why, hint = (
        ("compute.boot.delivery is inline, without monitoring", "write delivery: s3-asset")
        if inline
        else ("observability.cloudwatch_agent is false", "write cloudwatch_agent: true")
    )
    asked = {
        "idle_shutdown": watchdog.idle_shutdown,
        "idle_alert_minutes": watchdog.idle_alert_minutes,
    }
    for key, value in asked.items():
        if value is not None:
            yield Violation(
                message=f"budget.watchdog.{key} never does anything: {why}, so nodes send no use "
                "of their NeuronCores to CloudWatch",
                hint=f"{hint}, or remove {key}",
                path=("budget", "watchdog", key),
            )


RULE = ConfigRule(
    id="TRN430",
    title="what shall notice idle nodes hears from them",
    severity=Severity.ERROR,
    why="Whether a NeuronCore works is known on the node alone; what is not known is never taken "
    "for idle.",
    source="https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Agent-PrometheusEC2.html",
    good="budget: {watchdog: {idle_alert_minutes: 60}}\n",
    bad="observability: {cloudwatch_agent: false}\nbudget: {watchdog: {idle_alert_minutes: 60}}\n",
    check=_check,
)
