"""Alarms, as CloudWatch tells them."""

from __future__ import annotations

from typing import Any

from trnkit.emulation.resources.readers.asking import all_named
from trnkit.emulation.resources.resource import Clients, Proof, Properties, own_tags

_ALARM = (
    "ActionsEnabled",
    "AlarmActions",
    "AlarmDescription",
    "AlarmName",
    "ComparisonOperator",
    "DatapointsToAlarm",
    "Dimensions",
    "EvaluateLowSampleCountPercentile",
    "EvaluationPeriods",
    "ExtendedStatistic",
    "InsufficientDataActions",
    "MetricName",
    "Namespace",
    "OKActions",
    "Period",
    "Statistic",
    "Threshold",
    "TreatMissingData",
    "Unit",
)


class Alarm:
    """``AWS::CloudWatch::Alarm`` by DescribeAlarms."""

    name = "AWS::CloudWatch::Alarm"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """What it watches, when it goes off, and whom it tells."""
        service = clients("cloudwatch")
        found = service.describe_alarms(AlarmNames=[physical_id])["MetricAlarms"]
        if not found:
            return None
        (alarm,) = found
        told = all_named(alarm, {name: name for name in _ALARM})
        tags = service.list_tags_for_resource(ResourceARN=alarm["AlarmArn"])["Tags"]
        return told | {"Tags": own_tags(tags)}


READERS = (Alarm(),)
