"""TRN277: a scheduled action has times that come to pass, and something to do."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import count
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_SIZES = ("MinSize", "MaxSize", "DesiredCapacity")
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DAYS = "sun|mon|tue|wed|thu|fri|sat"
_FIELDS = (
    ("minute", 59, ""),
    ("hour", 23, ""),
    ("day of the month", 31, ""),
    ("month", 12, _MONTHS),
    ("day of the week", 7, _DAYS),
)
_OF_OTHER_DIALECTS = re.compile(r"\?|l|lw|[0-9]{1,2}[lw]|[a-z0-9]{1,3}#[1-5]", re.IGNORECASE)
"""Whether Auto Scaling knows these too is not documented."""


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for action in stack_set.resources("AWS::AutoScaling::ScheduledAction"):
        properties = properties_of(action)
        yield from _order(properties["StartTime"], properties["EndTime"])
        yield from _recurrence(properties["Recurrence"])
        # What the transforms of a template add is not known.
        if properties.mapping() is not None and all(properties[k].is_absent for k in _SIZES):
            yield Violation(
                message=f"{action.logical_id}: sets no size",
                hint="write MinSize, MaxSize or DesiredCapacity",
                resource=action,
                path=properties.path,
            )


def _order(start: TemplateValue, end: TemplateValue) -> Iterator[Violation]:
    first, last = _time(start), _time(end)
    if first is not None and last is not None and last <= first:
        yield Violation(
            message=f"{end.resource.logical_id}: ends at {end.text()}, which is not after its "
            f"start at {start.text()}",
            hint="write an EndTime after StartTime, or leave it out",
            resource=end.resource,
            path=end.path,
        )


def _time(value: TemplateValue) -> datetime | None:
    text = value.text()
    if text is None or not text.endswith("Z"):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _recurrence(value: TemplateValue) -> Iterator[Violation]:
    text = value.text()
    fault = None if text is None else _fault_of_cron(text)
    if fault is not None:
        yield Violation(
            message=f"{value.resource.logical_id}: Recurrence is {text!r}, {fault}",
            hint="write minute, hour, day of the month, month and day of the week: `30 11 * * 1`",
            resource=value.resource,
            path=value.path,
        )


def _fault_of_cron(text: str) -> str | None:
    """What is certainly wrong with a cron expression of five fields."""
    fields = text.split()
    if text.startswith("@"):
        return None  # A name for five fields; that Auto Scaling takes it is not documented.
    if len(fields) != len(_FIELDS):
        return f"which has {count(len(fields), 'field')} and not {len(_FIELDS)}"
    for field, (name, highest, words) in zip(fields, _FIELDS, strict=True):
        if any(not _is_item(item, highest, words) for item in field.split(",")):
            return f"whose {name} {field!r} is none"
    return None


def _is_item(item: str, highest: int, words: str) -> bool:
    """Whether one item of a field may be right: `*`, `5`, `1-5`, `mon`, each with a step or not."""
    span, _, step = item.partition("/")
    ends = [] if span == "*" else span.split("-")
    if re.fullmatch("[0-9]*", step) and all(_is_value(end, highest, words) for end in ends):
        return True
    return _OF_OTHER_DIALECTS.fullmatch(item) is not None


def _is_value(end: str, highest: int, words: str) -> bool:
    if re.fullmatch("[0-9]{1,2}", end):
        return int(end) <= highest
    return bool(words) and re.fullmatch(words, end.lower()) is not None


_HEAD = """\
Resources:
  Start:
    Type: AWS::AutoScaling::ScheduledAction
    Properties:
      AutoScalingGroupName: nodes
      DesiredCapacity: 4
      Recurrence: """

RULE = TemplateRule(
    id="TRN277",
    title="a scheduled action has times that come to pass, and something to do",
    severity=Severity.ERROR,
    why="Auto Scaling refuses an end before the start, a recurrence that is no cron expression of "
    "five fields, and an action without a size.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_PutScheduledUpdateGroupAction.html",
    good=_HEAD + '"30 11 * * MON-FRI"\n',
    bad=_HEAD + '"cron(30 11 * * ? *)"\n',
    check=_check,
)
