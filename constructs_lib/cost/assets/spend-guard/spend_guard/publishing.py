"""The watchdog's own metrics.

Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricData.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .asking import ASKING_ERRORS, fault

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

_AT_ONCE = 1000  # metrics in one request


@dataclass(frozen=True)
class Metric:
    """A metric with its value.

    Attributes:
        name: Its name.
        value: Its value.
        node_group: Its node group, for one that is of a group.
    """

    name: str
    value: float
    node_group: str | None = None


def publish(
    cloudwatch: Any, namespace: str, cluster: str, at: datetime, metrics: Sequence[Metric]
) -> list[str]:
    """Send metrics; what went wrong."""
    data = [_datum(metric, cluster, at) for metric in metrics]
    faults: list[str] = []
    for begin in range(0, len(data), _AT_ONCE):
        try:
            cloudwatch.put_metric_data(Namespace=namespace, MetricData=data[begin:][:_AT_ONCE])
        except ASKING_ERRORS as error:
            faults.append(fault("cloudwatch:PutMetricData", error))
    return faults


def _datum(metric: Metric, cluster: str, at: datetime) -> dict[str, Any]:
    dimensions = [{"Name": "ClusterName", "Value": cluster}]
    if metric.node_group is not None:
        dimensions.append({"Name": "NodeGroup", "Value": metric.node_group})
    return {
        "MetricName": metric.name,
        "Dimensions": dimensions,
        "Timestamp": at,
        "Value": metric.value,
    }
