"""TRN455: a budget's filters, unit and notifications are such as AWS Budgets takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import budget_limits
from trnkit.findings import Severity
from trnkit.rules.reading.budget_resources import BudgetResource, budgets
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config.yaml_reader import Path
    from trnkit.rules.stack_set import StackSet

_OLD_STYLE = ("CostFilters", "CostTypes")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in budgets(stack_set):
        for path, text, hint in (*_filters(found), *_limit(found), *_notifications(found)):
            yield Violation(
                message=f"{found.name}: {text}", hint=hint, resource=found.resource, path=path
            )
        yield from _unit(found)


def _filters(found: BudgetResource) -> Iterator[tuple[Path, str, str]]:
    expression, metrics = found.budget["FilterExpression"], found.budget["Metrics"]
    for new in (expression, metrics):
        for key in _OLD_STYLE:
            old = found.budget[key]
            if new.value is not None and old.value is not None and not _unsure(new, old):
                text = f"has both {new.path[-1]} and {key}, which exclude each other"
                yield new.path, text, "keep FilterExpression with Metrics, or CostFilters"
    if not expression.is_absent and not expression.is_unknown and metrics.is_absent:
        text, hint = "has FilterExpression without Metrics", "add Metrics: [UnblendedCost]"
        yield expression.path, text, hint


def _unsure(*values: object) -> bool:
    return any(getattr(value, "is_unknown", False) for value in values)


def _limit(found: BudgetResource) -> Iterator[tuple[Path, str, str]]:
    limit = found.budget["BudgetLimit"]
    amount = limit["Amount"].number()
    if amount is not None and amount <= 0:
        yield limit["Amount"].path, f"has a limit of {amount:g}", "write an amount above 0"


def _unit(found: BudgetResource) -> Iterator[Violation]:
    """A warning only: which currency an account is billed in stands in no template."""
    limits, unit = budget_limits(), found.budget["BudgetLimit"]["Unit"]
    named = unit.text()
    is_cost = found.budget["BudgetType"].text() == "COST"
    if is_cost and named not in (None, limits.currency, *limits.currencies_elsewhere):
        yield Violation(
            message=f"{found.name}: has a limit in {named}; AWS Budgets takes {limits.currency}",
            hint=f"write the limit in {limits.currency}, unless the account is billed in {named}",
            resource=found.resource,
            path=unit.path,
            severity=Severity.WARNING,
        )


def _notifications(found: BudgetResource) -> Iterator[tuple[Path, str, str]]:
    limits = budget_limits()
    seen: set[tuple[str, str, float, str]] = set()
    for entry in found.notifications or ():
        notification = entry["Notification"]
        threshold, number = notification["Threshold"], notification["Threshold"].number()
        if number is None:
            continue
        if not limits.threshold_minimum <= number <= limits.threshold_maximum:
            text = f"has a threshold of {number:g}; the smallest is {limits.threshold_minimum:g}"
            if number > limits.threshold_maximum:
                text = f"has a threshold of {number:g}; the largest is {limits.threshold_maximum:g}"
            yield threshold.path, text, "write a threshold within the limits"
        kind, operator = (
            notification["NotificationType"].text(),
            notification["ComparisonOperator"].text(),
        )
        scale = notification["ThresholdType"]
        unit = "PERCENTAGE" if scale.is_absent else scale.text()
        if kind is None or operator is None or unit is None:
            continue
        key = (kind, operator, number, unit)
        if key in seen:
            text = f"has two notifications for {kind} {operator} {number:g} {unit}"
            yield notification.path, text, "merge their subscribers into one"
        seen.add(key)


_HEAD = """\
Resources:
  Budget:
    Type: AWS::Budgets::Budget
    Properties:
      Budget: {BudgetType: COST, TimeUnit: MONTHLY, BudgetLimit: {Amount: 100, Unit: %s}}
"""

RULE = TemplateRule(
    id="TRN455",
    title="a budget is defined as AWS Budgets takes it",
    severity=Severity.ERROR,
    why="AWS Budgets refuses other units, a mixture of old and new filters, and the same "
    "notification twice; nothing before the deployment looks at them.",
    source="https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_Budget.html",
    good=_HEAD % "USD",
    bad=_HEAD % "EUR",
    check=_check,
)
