"""Whether nodes use their NeuronCores, from what they send to CloudWatch themselves.

A node without enough metrics is neither idle nor busy: nobody knows, and of its group nobody
knows either.

Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from .asking import ASKING_ERRORS, fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .observation import GroupObservation

UTILIZATION = "trn_node_neuroncore_utilization_ratio"
"""Mean over the NeuronCores of a node, 0 to 1, once a minute (docs/monitoring.md)."""

_PERIOD = 60
_AT_ONCE = 500  # queries in one request


@dataclass(frozen=True)
class Use:
    """What a node's metrics say of the time that was looked at.

    Attributes:
        first: Time of the first of them.
        highest: The highest value, 0 to 1.
        number: How many minutes have one.
    """

    first: datetime
    highest: float
    number: int


@dataclass(frozen=True)
class Window:
    """The time that is looked at: a little more than a poll, for metrics that come late.

    Attributes:
        start: Its beginning.
        end: Its end.
    """

    start: datetime
    end: datetime

    @classmethod
    def until(cls, at: datetime, poll_minutes: int) -> Window:
        """The window that ends with a poll."""
        return cls(at - timedelta(minutes=2 * poll_minutes + 5), at)

    @property
    def enough(self) -> int:
        """How many minutes must have a value: half of them."""
        return int((self.end - self.start).total_seconds()) // (2 * _PERIOD)


def ask(
    cloudwatch: Any, namespace: str, cluster: str, nodes: Sequence[tuple[str, str]], window: Window
) -> tuple[dict[str, Use], list[str]]:
    """Ask for the use of nodes.

    Args:
        cloudwatch: Its client.
        namespace: Where nodes send.
        cluster: The cluster's name.
        nodes: Node group and instance id of each.
        window: The time.

    Returns:
        The use of each node that has a metric, by instance id, and what went wrong.
    """
    found: dict[str, Use] = {}
    for begin in range(0, len(nodes), _AT_ONCE):
        some = nodes[begin : begin + _AT_ONCE]
        queries = [_query(number, namespace, cluster, *node) for number, node in enumerate(some)]
        series: dict[str, list[tuple[datetime, float]]] = {}
        try:
            for result in _results(cloudwatch, queries, window):
                points = zip(result["Timestamps"], result["Values"], strict=True)
                series.setdefault(result["Id"], []).extend(points)
        except ASKING_ERRORS as error:
            return found, [fault("cloudwatch:GetMetricData", error)]
        for number, (_, instance_id) in enumerate(some):
            points = series.get(f"n{number}", [])
            if points:
                times = [moment for moment, _ in points]
                values = [value for _, value in points]
                found[instance_id] = Use(min(times), max(values), len(set(times)))
    return found, []


def _query(
    number: int, namespace: str, cluster: str, node_group: str, instance_id: str
) -> dict[str, Any]:
    dimensions = {"ClusterName": cluster, "NodeGroup": node_group, "InstanceId": instance_id}
    metric = {
        "Namespace": namespace,
        "MetricName": UTILIZATION,
        "Dimensions": [{"Name": name, "Value": value} for name, value in dimensions.items()],
    }
    return {
        "Id": f"n{number}",
        "MetricStat": {"Metric": metric, "Period": _PERIOD, "Stat": "Maximum"},
    }


def _results(
    cloudwatch: Any, queries: list[dict[str, Any]], window: Window
) -> Iterator[dict[str, Any]]:
    more: dict[str, str] = {}
    while True:
        answer = cloudwatch.get_metric_data(
            MetricDataQueries=queries, StartTime=window.start, EndTime=window.end, **more
        )
        yield from answer["MetricDataResults"]
        if not answer.get("NextToken"):
            return
        more = {"NextToken": answer["NextToken"]}


@dataclass(frozen=True)
class GroupUse:
    """What is known of a group.

    Attributes:
        idle: Its nodes that are idle.
        known: Whether enough is known of each of them, and there is one.
        since: Since when all are idle; None: one is not, or nobody knows.
    """

    idle: int
    known: bool
    since: datetime | None


def judge(
    nodes: Sequence[str],
    uses: Mapping[str, Use],
    below_percent: float,
    window: Window,
    before: GroupObservation | None,
    before_at: datetime | None,
) -> GroupUse:
    """Judge a group.

    Args:
        nodes: Ids of its instances.
        uses: What is known of them.
        below_percent: Use up to which a node is idle.
        window: The time that was looked at.
        before: What was known before.
        before_at: When that was; idleness goes on only where the window begins no later.
    """
    known = {node: use for node, use in uses.items() if use.number >= window.enough}
    idle = [node for node in nodes if node in known and known[node].highest * 100 <= below_percent]
    all_known = bool(nodes) and all(node in known for node in nodes)
    if not all_known or len(idle) < len(nodes):
        return GroupUse(len(idle), all_known, None)
    since = max(known[node].first for node in nodes).replace(microsecond=0)
    goes_on = before_at is not None and before_at >= window.start
    if before is not None and before.idle_since is not None and goes_on:
        since = min(before.idle_since, since)
    return GroupUse(len(idle), True, since)
