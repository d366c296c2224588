"""When an alarm of a template goes off, for a metric that was published.

Sources:
    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LATE = timedelta(minutes=2)
"""Until CloudWatch has a metric that was sent, and looks at the alarm again."""

_COMPARED: dict[str, Callable[[float, float], bool]] = {
    "GreaterThanThreshold": lambda value, limit: value > limit,
    "GreaterThanOrEqualToThreshold": lambda value, limit: value >= limit,
    "LessThanThreshold": lambda value, limit: value < limit,
}


@dataclass(frozen=True)
class Point:
    """A value of a metric."""

    metric: str
    dimensions: frozenset[tuple[str, str]]
    at: datetime
    value: float


def goes_off(
    alarm: Mapping[str, Any], points: Sequence[Point], since: datetime, until: datetime
) -> datetime | None:
    """When an alarm goes off first; None: never.

    Args:
        alarm: Properties of an `AWS::CloudWatch::Alarm`.
        points: What was published.
        since: When the alarm was made.
        until: When looking ends.
    """
    # A reference names a resource of the template, of which nothing is published here.
    wanted = frozenset((d["Name"], str(d["Value"])) for d in alarm.get("Dimensions", []))
    period = timedelta(seconds=alarm["Period"])
    sums: dict[int, list[float]] = {}
    for point in points:
        if (point.metric, point.dimensions) == (alarm["MetricName"], wanted):
            sums.setdefault((point.at - since) // period, []).append(point.value)
    take = {"Maximum": max, "Minimum": min, "Sum": sum}[alarm["Statistic"]]
    values = {number: take(found) for number, found in sums.items()}
    number = int(alarm["EvaluationPeriods"])
    for last in range(number - 1, (until - since) // period):
        windows = [_breaches(alarm, values.get(last - n)) for n in range(number)]
        if all(windows):
            return since + (last + 1) * period + LATE
    return None


def _breaches(alarm: Mapping[str, Any], value: float | None) -> bool:
    """Whether a period breaches; one without a value does where the alarm says so."""
    if value is None:
        return alarm.get("TreatMissingData") == "breaching"
    return _COMPARED[alarm["ComparisonOperator"]](value, float(alarm["Threshold"]))
