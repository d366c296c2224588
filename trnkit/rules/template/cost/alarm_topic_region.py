"""TRN480: an alarm notifies a topic of its own Region."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.template_region import region_of
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_ALARMS = ("AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm")
_ACTIONS = ("AlarmActions", "OKActions", "InsufficientDataActions")
_REGION, _PARTS = 3, 6


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for alarm in stack_set.resources(*_ALARMS):
        own = region_of(alarm.template, stack_set)
        for key in _ACTIONS if own else ():
            for action in properties_of(alarm)[key].entries() or ():
                parts = (action.text() or "").split(":")
                if len(parts) != _PARTS or parts[0] != "arn" or parts[2] != "sns":
                    continue
                if parts[_REGION] != own:
                    yield Violation(
                        message=f"{alarm.logical_id}: notifies a topic in {parts[_REGION]}, and "
                        f"the alarm is in {own}",
                        hint=f"take a topic in {own}; whoever listens may subscribe to it from "
                        "elsewhere",
                        resource=alarm,
                        path=action.path,
                    )


_ALARM = """\
# region: us-east-2
Resources:
  Alarm:
    Type: AWS::CloudWatch::Alarm
    Properties:
      Namespace: AWS/FSx
      MetricName: FreeDataStorageCapacity
      ComparisonOperator: LessThanThreshold
      Threshold: 1
      EvaluationPeriods: 1
      AlarmActions: ["arn:aws:sns:%s:111122223333:cost-alerts"]
"""

RULE = TemplateRule(
    id="TRN480",
    title="an alarm notifies a topic of its own Region",
    severity=Severity.ERROR,
    why="Budgets are at home in us-east-1, alarms where their metrics are: CloudWatch refuses an "
    "alarm whose topic is in another Region.",
    source="https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html",
    good=_ALARM % "us-east-2",
    bad=_ALARM % "us-east-1",
    check=_check,
)
