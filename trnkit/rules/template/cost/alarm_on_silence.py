"""TRN486: an alarm on a function that does not run takes silence for an alarm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_BELOW = {"LessThanThreshold": 1.0, "LessThanOrEqualToThreshold": 0.0}
"""Up to which threshold only a value of zero, which is never sent, would be in alarm."""
_COUNTS = {"Sum", "SampleCount", "Maximum", "Average", "Minimum"}


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for alarm in stack_set.resources("AWS::CloudWatch::Alarm"):
        properties = properties_of(alarm)
        if (properties["Namespace"].text(), properties["MetricName"].text()) != (
            "AWS/Lambda",
            "Invocations",
        ):
            continue
        most = _BELOW.get(properties["ComparisonOperator"].text() or "")
        threshold = properties["Threshold"].number()
        if most is None or threshold is None or not 0 <= threshold <= most:
            continue
        missing = properties["TreatMissingData"]
        if missing.is_unknown or properties["Statistic"].text() not in _COUNTS:
            continue
        if missing.text() == "breaching" or not properties["InsufficientDataActions"].is_absent:
            continue
        yield Violation(
            message=f"{alarm.logical_id}: is in alarm where Invocations are "
            f"{'below' if most else 'at most'} {threshold:g}, and treats missing data as "
            f"{missing.text() or 'missing'}: a function that does not run sends none",
            hint="write TreatMissingData: breaching",
            resource=alarm,
            path=missing.path if not missing.is_absent else ("Properties",),
        )


_ALARM = """\
Resources:
  WatchdogIsDead:
    Type: AWS::CloudWatch::Alarm
    Properties:
      Namespace: AWS/Lambda
      MetricName: Invocations
      Dimensions: [{Name: FunctionName, Value: watchdog}]
      Statistic: Sum
      Period: 900
      EvaluationPeriods: 1
      ComparisonOperator: LessThanThreshold
      Threshold: 1
      TreatMissingData: %s
"""

RULE = TemplateRule(
    id="TRN486",
    title="an alarm on a function that does not run takes silence for an alarm",
    severity=Severity.WARNING,
    why="Lambda sends Invocations only when there are some: what should tell that a watchdog is "
    "dead stays green, or grey, for ever.",
    source="https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html",
    good=_ALARM % "breaching",
    bad=_ALARM % "notBreaching",
    check=_check,
)
