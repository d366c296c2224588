"""When an image pipeline builds by itself: `cron(...)` of six fields, or `rate(...)`.

Sources:
    https://docs.aws.amazon.com/imagebuilder/latest/userguide/cron-expressions.html
    https://docs.aws.amazon.com/imagebuilder/latest/userguide/cli-create-image-pipeline.html
    https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_CRON = re.compile(r"cron\((\S+(?: \S+){5})\)")
_RATE = re.compile(r"rate\(([1-9][0-9]{0,3}) (hour|day)(s?)\)")
_FORM = "must be cron(...) with six fields, or rate(...) in hours or days"


@dataclass(frozen=True, slots=True)
class _Field:
    """A field: its bounds, names for its numbers, and what only it may hold."""

    name: str
    least: int
    most: int
    names: tuple[str, ...] = ()
    special: str = r"(?!)"
    has_steps: bool = True

    def allows(self, text: str) -> bool:
        """Whether Image Builder may take this text in the field."""
        return all(self._allows_item(item) for item in text.split(","))

    def _allows_item(self, item: str) -> bool:
        if re.fullmatch(self.special, item):
            return True
        span, slash, step = item.partition("/")
        if slash and not (self.has_steps and re.fullmatch(r"[1-9][0-9]{0,3}", step)):
            return False
        ends = [] if span == "*" else span.split("-")
        return len(ends) <= 2 and all(self._allows_value(end) for end in ends)

    def _allows_value(self, text: str) -> bool:
        if re.fullmatch(r"[0-9]{1,4}", text):
            return self.least <= int(text) <= self.most
        return text in self.names


_DAY_OF_MONTH, _DAY_OF_WEEK = 2, 4
_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of the month", 1, 31, special=r"L|LW|(?:[1-9]|[12][0-9]|3[01])W"),
    _Field("month", 1, 12, _MONTHS),
    _Field(
        "day of the week",
        *(1, 7, _DAYS),
        special=rf"(?:[1-7]|{'|'.join(_DAYS)})(?:#[1-5]|L)|L",
        has_steps=False,
    ),
    _Field("year", 1970, 2199),
)


def schedule_fault(text: str) -> str | None:
    """What is wrong with a schedule; None when nothing certainly is."""
    rate, cron = _RATE.fullmatch(text), _CRON.fullmatch(text)
    if rate is not None:
        singular = rate[1] == "1"
        right = rate[2] if singular else f"{rate[2]}s"
        return None if singular is not bool(rate[3]) else f"must be rate({rate[1]} {right})"
    if cron is None:
        return _FORM
    fields = cron[1].upper().split(" ")
    for place, (field, value) in enumerate(zip(_FIELDS, fields, strict=True)):
        is_either_day = value == "?" and place in (_DAY_OF_MONTH, _DAY_OF_WEEK)
        if not is_either_day and not field.allows(value):
            return _words(field, value)
    return _fault_of_days(fields[_DAY_OF_MONTH], fields[_DAY_OF_WEEK])


def _words(field: _Field, value: str) -> str:
    names = f" or {field.names[0]} to {field.names[-1]}" if field.names else ""
    return f"must have {field.least} to {field.most}{names} as {field.name}, not {value[:20]}"


def _fault_of_days(of_month: str, of_week: str) -> str | None:
    if of_month == of_week == "?":
        return "must have one of the two days, of the month or of the week, not ? as both"
    # The page wants a ? beside a * too, but AWS's own example of a pipeline is `0 0 * * SUN *`.
    if of_month not in ("?", "*") and of_week not in ("?", "*"):
        return "must have ? as day of the month or as day of the week, not a value as both"
    return None
