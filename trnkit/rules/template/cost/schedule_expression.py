"""TRN485: a schedule of EventBridge Scheduler comes again as Scheduler reads it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.rule import Violation
    from trnkit.rules.stack_set import StackSet

_CALL = re.compile(r"(at|rate|cron)\((.*)\)", re.DOTALL)
_RATE = re.compile(r"[1-9][0-9]{0,8} +(minute|minutes|hour|hours|day|days)")
_CRON_FIELDS = 6


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for schedule in stack_set.resources("AWS::Scheduler::Schedule"):
        expression = properties_of(schedule)["ScheduleExpression"]
        objection = _judge(expression.text() or "")
        if expression.text() is not None and objection is not None:
            yield at_value(expression, objection)


def _judge(text: str) -> Objection | None:
    call = _CALL.fullmatch(text)
    if call is None:
        return Objection(
            f"is {text[:80]}; EventBridge Scheduler takes at(...), rate(...) or cron(...)",
            "write at(2027-03-01T11:00:00), rate(5 minutes) or cron(0 18 ? * FRI *)",
        )
    kind, inner = call[1], call[2]
    if kind == "rate" and _RATE.fullmatch(inner) is None:
        return Objection(
            f"is {text[:80]}; a rate is a whole number of minutes, hours or days",
            "write a number and a unit: rate(5 minutes)",
        )
    if kind == "cron" and len(inner.split()) != _CRON_FIELDS:
        return Objection(
            f"is {text[:80]}, with {len(inner.split())} fields, and has {_CRON_FIELDS}: minutes, "
            "hours, day of month, month, day of week, year",
            "write all six, with ? for the day that is not meant",
        )
    return None


_SCHEDULE = """\
Resources:
  Friday:
    Type: AWS::Scheduler::Schedule
    Properties:
      ScheduleExpression: %s
      FlexibleTimeWindow: {Mode: "OFF"}
      Target:
        Arn: arn:aws:scheduler:::aws-sdk:ssm:sendCommand
        RoleArn: arn:aws:iam::111122223333:role/checkpoints
"""

RULE = TemplateRule(
    id="TRN485",
    title="a schedule of EventBridge Scheduler comes again as Scheduler reads it",
    severity=Severity.ERROR,
    why="Expressions of Unix, with five fields or none of Scheduler's three forms, are refused "
    "when the stack is deployed; the registry's schema takes any text.",
    source="https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html",
    good=_SCHEDULE % "cron(0 18 ? * FRI *)",
    bad=_SCHEDULE % "cron(0 18 * * FRI)",
    check=_check,
)
