"""TRN472: a budget's time unit and period are such as AWS Budgets takes."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trnkit.catalog import budget_limits
from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.budget_resources import BudgetResource, budgets
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_SECONDS = re.compile("[0-9]{9,11}")
_FORMS = ("%m/%d/%y %H:%M UTC", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%MZ")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in budgets(stack_set):
        yield from _unit(found)
        period = found.budget["TimePeriod"]
        start, end = _moment(period["Start"]), _moment(period["End"])
        if start is not None and end is not None and start >= end:
            yield Violation(
                message=f"{found.name}: its period ends at {period['End'].text()}, and begins at "
                f"{period['Start'].text()}",
                hint="write an end after the start, or leave it out",
                resource=found.resource,
                path=period["End"].path,
            )


def _unit(found: BudgetResource) -> Iterator[Violation]:
    limits, unit = budget_limits(), found.budget["TimeUnit"]
    text = unit.text()
    if text is None or text in limits.time_units:
        return
    meant = text.upper() if text.upper() in limits.time_units else None
    yield Violation(
        message=f"{found.name}: has the time unit {text}; AWS Budgets takes "
        f"{meant or alternatives(limits.time_units)}",
        hint=f"write {meant or 'MONTHLY'}",
        resource=found.resource,
        path=unit.path,
        # A unit of tomorrow is not a mistake.
        severity=None if meant else Severity.WARNING,
        evidence=f"catalogue, time units of a budget ({limits.date})",
    )


def _moment(value: TemplateValue) -> datetime | None:
    """A time in any of the forms that the console, the API and people write."""
    text = value.text() or ""
    if _SECONDS.fullmatch(text):
        return datetime.fromtimestamp(int(text), UTC)
    for form in _FORMS:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


_BUDGET = """\
Resources:
  Budget:
    Type: AWS::Budgets::Budget
    Properties:
      NotificationsWithSubscribers:
        - Notification: {NotificationType: ACTUAL, ComparisonOperator: GREATER_THAN, Threshold: 80}
          Subscribers: [{SubscriptionType: EMAIL, Address: ml-platform@example.com}]
      Budget:
        BudgetType: COST
        TimeUnit: MONTHLY
        BudgetLimit: {Amount: 100, Unit: USD}
        TimePeriod: {Start: "1767225600", End: "%s"}
"""

RULE = TemplateRule(
    id="TRN472",
    title="a budget's time unit and period are such as AWS Budgets takes",
    severity=Severity.ERROR,
    why="AWS Budgets refuses the budget when the stack is deployed; the registry's schema takes "
    "any text for both.",
    source="https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_TimePeriod.html",
    good=_BUDGET % "1798761600",
    bad=_BUDGET % "1735689600",
    check=_check,
)
