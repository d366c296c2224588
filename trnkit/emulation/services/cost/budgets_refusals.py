"""What AWS Budgets refuses.

Sources, unless another is named:
https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_Budget.html
https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_CreateBudget.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from trnkit.emulation.services.json_refusal import refuse
from trnkit.emulation.services.model_constraints import enumerated

MOST_NOTIFICATIONS = 5
MOST_EMAILS = 10
MOST_TOPICS = 1

_INVALID = "InvalidParameterException"
_TOO_MANY = "CreationLimitExceededException"

# https://docs.aws.amazon.com/cost-management/latest/userguide/management-limits.html
_NAME = re.compile(r"[0-9A-Za-z _.:/=+\-%@]{1,100}")

# https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_Notification.html
_HIGHEST_PERCENTAGE = 1_000_000

# https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create-filters.html
_TAG = re.compile(r"(user|aws):[^$]+\$.*")
_OLDER_FILTERS = frozenset({"CostCategory", "Tag", "TagKeyValue"})

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_TOPIC = re.compile(r"arn:aws[a-z-]*:sns:[a-z0-9-]+:(?P<account>\d{12}):[A-Za-z0-9_-]+")

_END_OF_TIME = datetime(2087, 6, 15, tzinfo=UTC).timestamp()
_LONGEST_CUSTOM = 3 * 366 * 86_400.0

_OF_MONEY = frozenset({"COST", "USAGE"})


def refuse_budget(budget: Mapping[str, Any]) -> None:
    """Refuse a budget's own members."""
    name = budget["BudgetName"]
    if not _NAME.fullmatch(name) or ":" in name or "/action/" in name:
        refuse(_INVALID, f"The budget name {name} has characters that are not allowed.")
    kind = budget["BudgetType"]
    limits = [n for n in ("BudgetLimit", "PlannedBudgetLimits") if budget.get(n)]
    if len(limits) > 1:
        refuse(_INVALID, "Only one of BudgetLimit and PlannedBudgetLimits can be given.")
    if kind in _OF_MONEY and not limits and not budget.get("AutoAdjustData"):
        # AWS's words, as moto has them.
        refuse(
            _INVALID,
            "Unable to create/update budget - please provide one of the followings: Budget Limit/ "
            "Planned Budget Limit/ Auto Adjust Data",
        )
    if kind not in _OF_MONEY and float(budget.get("BudgetLimit", {}).get("Amount", 100)) != 100:
        refuse(_INVALID, f"The limit of a budget of type {kind} must be 100.")
    if budget.get("PlannedBudgetLimits") and budget["TimeUnit"] not in {"MONTHLY", "QUARTERLY"}:
        refuse(_INVALID, "PlannedBudgetLimits needs the time unit MONTHLY or QUARTERLY.")
    if kind != "COST" and budget.get("CostTypes"):
        refuse(_INVALID, f"CostTypes cannot be given for a budget of type {kind}.")
    older = [n for n in ("CostFilters", "CostTypes") if budget.get(n)]
    newer = [n for n in ("FilterExpression", "Metrics") if budget.get(n)]
    if older and newer:
        refuse(_INVALID, f"{older[0]} and {newer[0]} cannot be given together.")
    _refuse_filters(budget.get("CostFilters") or {})
    _refuse_period(budget)


def _refuse_filters(filters: Mapping[str, Any]) -> None:
    known = _known_filters()
    for name, values in filters.items():
        if name not in known:
            refuse(_INVALID, f"Unknown cost filter: {name}.")
        if not values:
            refuse(_INVALID, f"The cost filter {name} has no values.")
        for value in values if name == "TagKeyValue" else ():
            if not _TAG.fullmatch(value):
                refuse(_INVALID, f"The tag {value} is not of the form user:key$value.")


def _known_filters() -> frozenset[str]:
    """Filters by the dimensions of the service's model, in the older spelling."""
    older = {
        name if "_" not in name and len(name) == 2 else name.title().replace("_", "")
        for name in enumerated("budgets", "Dimension")
    }
    return _OLDER_FILTERS | older


def _refuse_period(budget: Mapping[str, Any]) -> None:
    period = budget.get("TimePeriod") or {}
    start, end = period.get("Start"), period.get("End")
    if start is not None and end is not None and start >= end:
        refuse(_INVALID, "The start date must come before the end date.")
    if end is not None and end > _END_OF_TIME:
        refuse(_INVALID, "The end date must come before 06/15/87 00:00 UTC.")
    if budget["TimeUnit"] == "CUSTOM":
        # https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-best-practices.html
        if start is None or end is None:
            refuse(_INVALID, "A budget of a custom period needs a start and an end date.")
        if end - start > _LONGEST_CUSTOM:
            refuse(_INVALID, "The end date must be within three years of the start date.")


def refuse_notification(
    budget: Mapping[str, Any], notification: Mapping[str, Any], present: Sequence[Any]
) -> None:
    """Refuse a notification.

    Args:
        budget: The budget it is for.
        notification: The notification.
        present: Keys of the notifications that the budget has.
    """
    if len(present) >= MOST_NOTIFICATIONS:
        refuse(_TOO_MANY, f"A budget can have up to {MOST_NOTIFICATIONS} notifications.")
    if key_of(notification) in present:
        refuse("DuplicateRecordException", "The notification already exists.")
    threshold = notification["Threshold"]
    is_percentage = notification.get("ThresholdType", "PERCENTAGE") == "PERCENTAGE"
    if threshold <= 0 or (is_percentage and threshold > _HIGHEST_PERCENTAGE):
        refuse(_INVALID, f"The notification threshold {threshold:g} is out of range.")
    if notification["NotificationType"] == "FORECASTED" and budget["TimeUnit"] == "DAILY":
        # Seen, in no page of AWS's: https://github.com/JiRaska/open-bank-oss/pull/226
        refuse(_INVALID, "A budget with the time unit DAILY cannot have forecasted notifications.")


def key_of(notification: Mapping[str, Any]) -> tuple[Any, ...]:
    """What tells notifications of a budget apart."""
    return (
        notification["NotificationType"],
        notification["ComparisonOperator"],
        float(notification["Threshold"]),
        notification.get("ThresholdType", "PERCENTAGE"),
    )


def refuse_subscribers(account: str, subscribers: Sequence[Mapping[str, Any]]) -> None:
    """Refuse the subscribers of one notification.

    Source: https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-best-practices.html
    """
    if not subscribers:
        refuse(_INVALID, "A notification needs at least one subscriber.")
    kinds = [subscriber["SubscriptionType"] for subscriber in subscribers]
    for kind, most in (("EMAIL", MOST_EMAILS), ("SNS", MOST_TOPICS)):
        if kinds.count(kind) > most:
            refuse(_TOO_MANY, f"A notification can have up to {most} {kind} subscriber(s).")
    pairs = [(s["SubscriptionType"], s["Address"]) for s in subscribers]
    if len(set(pairs)) < len(pairs):
        refuse("DuplicateRecordException", "The subscriber already exists.")
    for kind, address in pairs:
        _refuse_address(account, kind, address)


def _refuse_address(account: str, kind: str, address: str) -> None:
    if kind == "EMAIL" and not _EMAIL.fullmatch(address):
        refuse(_INVALID, f"The subscriber address {address} is not an e-mail address.")
    if kind == "SNS":
        topic = _TOPIC.fullmatch(address)
        if topic is None:
            refuse(_INVALID, f"The subscriber address {address} is not the ARN of an SNS topic.")
        if topic["account"] != account:
            # https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html
            refuse(_INVALID, f"The SNS topic {address} is not in the budget's account.")
