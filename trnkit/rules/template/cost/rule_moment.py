"""TRN492: an EventBridge rule has no one-time schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for rule in stack_set.resources("AWS::Events::Rule"):
        value = properties_of(rule)["ScheduleExpression"]
        text = value.text()
        if text is not None and text.startswith("at("):
            yield Violation(
                message=f"{rule.logical_id}: ScheduleExpression is {text}; a rule takes cron(...) "
                "and rate(...) alone",
                hint="make an AWS::Scheduler::Schedule, which takes at(...)",
                resource=rule,
                path=value.path,
            )


_HEAD = """\
Resources:
  Checkpoint:
    Type: AWS::Events::Rule
    Properties:
      ScheduleExpression: """

RULE = TemplateRule(
    id="TRN492",
    title="an EventBridge rule has no one-time schedule",
    severity=Severity.ERROR,
    why="EventBridge refuses the rule: schedules for one moment are EventBridge Scheduler's.",
    source="https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-rule-schedule.html",
    good=_HEAD + "rate(5 minutes)\n",
    bad=_HEAD + "at(2027-03-08T10:35:00)\n",
    check=_check,
)
