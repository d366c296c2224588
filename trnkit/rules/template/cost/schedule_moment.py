"""TRN491: a one-time schedule names its moment as EventBridge Scheduler reads it."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_AT = re.compile(r"at\((.*)\)", re.DOTALL)
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}", re.ASCII)


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for schedule in stack_set.resources("AWS::Scheduler::Schedule"):
        value = properties_of(schedule)["ScheduleExpression"]
        text = value.text()
        found = _AT.fullmatch(text) if text else None
        if found and not _is_moment(found[1]):
            yield Violation(
                message=f"{schedule.logical_id}: ScheduleExpression is {text}; a moment is "
                "yyyy-mm-ddThh:mm:ss, without a zone",
                hint="write `at(2027-03-08T10:35:00)`, and the zone as ScheduleExpressionTimezone "
                "(left out: UTC)",
                resource=schedule,
                path=value.path,
            )


def _is_moment(text: str) -> bool:
    if _MOMENT.fullmatch(text) is None:
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


_HEAD = """\
Resources:
  Checkpoint:
    Type: AWS::Scheduler::Schedule
    Properties:
      FlexibleTimeWindow: {Mode: "OFF"}
      Target:
        Arn: arn:aws:scheduler:::aws-sdk:ssm:sendCommand
        RoleArn: arn:aws:iam::111122223333:role/drain
      ScheduleExpression: """

RULE = TemplateRule(
    id="TRN491",
    title="a one-time schedule names its moment as EventBridge Scheduler reads it",
    severity=Severity.ERROR,
    why="EventBridge Scheduler refuses the schedule: a moment has no Z and no offset there, and "
    "the zone is another property.",
    source="https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html",
    good=_HEAD + "at(2027-03-08T10:35:00)\n",
    bad=_HEAD + "at(2027-03-08T10:35:00Z)\n",
    check=_check,
)
