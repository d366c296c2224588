"""AWS Budgets on moto's: changes, subscribers, tags, refusals, and spend for tests.

moto keeps a budget as it is given and never its tags; it tells no subscribers, and accepts
everything but a name that is taken.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from moto.core.responses import ActionResult, EmptyResult

from trnkit.emulation.services.cost import budget_actions
from trnkit.emulation.services.cost.budgets_refusals import (
    key_of,
    refuse_budget,
    refuse_notification,
    refuse_subscribers,
)
from trnkit.emulation.services.json_refusal import refuse
from trnkit.emulation.services.model_constraints import check_request


def install() -> None:
    """Extend moto's Budgets; to be called before its first request."""
    from moto.budgets.responses import BudgetsResponse

    for operation, answer in _OPERATIONS.items():
        setattr(BudgetsResponse, _method_name(operation), _method(operation, answer))


@dataclass(frozen=True)
class Alarm:
    """A notification whose threshold is passed.

    Attributes:
        notification: The notification, as DescribeNotificationsForBudget tells it.
        subscribers: Who is told, as DescribeSubscribersForNotification tells it.
        is_new: Whether the threshold was not passed before; AWS tells the others no more.
    """

    notification: Mapping[str, Any]
    subscribers: tuple[Mapping[str, Any], ...]
    is_new: bool


def inject_spend(
    account: str, budget_name: str, actual: float, forecast: float | None = None
) -> tuple[Alarm, ...]:
    """Let a budget see spend, which AWS takes from the bill.

    Args:
        account: The account's id.
        budget_name: The budget's name.
        actual: What was spent in the period, in the unit of the budget.
        forecast: What the period is expected to cost; None: AWS has no forecast yet.

    Returns:
        The notifications whose threshold is passed now.
    """
    from moto.budgets.models import budgets_backends

    found = _budget(budgets_backends[account]["aws"], account, budget_name)
    unit = (_limit(found.budget) or {"Unit": "USD"})["Unit"]
    spend = {"ActualSpend": {"Amount": f"{actual:.15g}", "Unit": unit}}
    if forecast is not None:
        spend["ForecastedSpend"] = {"Amount": f"{forecast:.15g}", "Unit": unit}
    found.budget["CalculatedSpend"] = spend
    alarms: list[Alarm] = []
    for one in found.notifications:
        value = actual if one.details["NotificationType"] == "ACTUAL" else forecast
        passed = value is not None and _is_passed(found.budget, one.details, value)
        before = one.details.get("NotificationState")
        one.details["NotificationState"] = "ALARM" if passed else "OK"
        if passed:
            told = tuple(dict(subscriber) for subscriber in one.subscribers)
            alarms.append(Alarm(dict(one.details), told, before != "ALARM"))
    budget_actions.spent(
        account, found, lambda action: _acts(found.budget, action, actual, forecast)
    )
    return tuple(alarms)


def _acts(
    budget: Mapping[str, Any], action: Mapping[str, Any], actual: float, forecast: float | None
) -> bool:
    """Whether the threshold of an action is passed."""
    value = actual if action["NotificationType"] == "ACTUAL" else forecast
    threshold = {
        "ComparisonOperator": "GREATER_THAN",
        "Threshold": action["ActionThreshold"]["ActionThresholdValue"],
        "ThresholdType": "PERCENTAGE"
        if action["ActionThreshold"]["ActionThresholdType"] == "PERCENTAGE"
        else "ABSOLUTE_VALUE",
    }
    return value is not None and _is_passed(budget, threshold, value)


def _limit(budget: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The limit of the period that is running, None where AWS sets it itself."""
    if budget.get("BudgetLimit"):
        return budget["BudgetLimit"]
    planned = budget.get("PlannedBudgetLimits") or {}
    now = datetime.now(UTC).timestamp()
    started = [start for start in planned if float(start) <= now]
    first = max(started, key=float) if started else min(planned, key=float, default=None)
    return planned[first] if first is not None else None


def _is_passed(budget: Mapping[str, Any], notification: Mapping[str, Any], value: float) -> bool:
    threshold = float(notification["Threshold"])
    if notification["ThresholdType"] == "PERCENTAGE":
        limit = _limit(budget)
        if limit is None:
            return False
        threshold *= float(limit["Amount"]) / 100
    compare = notification["ComparisonOperator"]
    if compare == "GREATER_THAN":
        return value > threshold
    return value < threshold if compare == "LESS_THAN" else value == threshold


Answer = Callable[[Any, dict[str, Any]], dict[str, Any] | None]


def _method(operation: str, answer: Answer) -> Callable[[Any], ActionResult]:
    def method(self: Any) -> ActionResult:
        request = json.loads(self.body)
        check_request("budgets", operation, request)
        told = answer(self.backend, request)
        return EmptyResult() if told is None else ActionResult(told)

    return method


def _method_name(operation: str) -> str:
    from moto.core.utils import camelcase_to_underscores

    return camelcase_to_underscores(operation)


def _create_budget(backend: Any, request: dict[str, Any]) -> None:
    from moto.budgets.exceptions import DuplicateRecordException
    from moto.budgets.models import Budget

    account, budget = request["AccountId"], request["Budget"]
    if budget["BudgetName"] in backend.budgets[account]:
        raise DuplicateRecordException(record_type="budget", record_name=budget["BudgetName"])
    refuse_budget(budget)
    notifications: list[dict[str, Any]] = request.get("NotificationsWithSubscribers") or []
    present: list[Any] = []
    for one in notifications:
        refuse_notification(budget, one["Notification"], present)
        refuse_subscribers(account, one["Subscribers"])
        present.append(key_of(one["Notification"]))
        _complete(one["Notification"])
    made = _completed(budget)
    # moto wants a limit of every budget; those that AWS adjusts have none at first.
    kept: Any = Budget({"BudgetLimit": None, **made}, notifications)
    kept.budget = made | {"LastUpdatedTime": datetime.now(UTC).timestamp()}
    backend.budgets[account][budget["BudgetName"]] = kept
    _tags(backend).setdefault(_arn(backend, account, budget["BudgetName"]), {}).update(
        _by_key(request.get("ResourceTags"))
    )


def _complete(notification: dict[str, Any]) -> None:
    notification.setdefault("ThresholdType", "PERCENTAGE")
    notification["NotificationState"] = "OK"


def _completed(budget: Mapping[str, Any]) -> dict[str, Any]:
    """A budget with AWS's defaults."""
    given = copy.deepcopy(dict(budget))
    if given["BudgetType"] not in {"COST", "USAGE"}:
        given.setdefault("BudgetLimit", {"Amount": "100", "Unit": "PERCENTAGE"})
    period = given.setdefault("TimePeriod", {})
    period.setdefault("Start", _start_of(given["TimeUnit"]))
    period.setdefault("End", datetime(2087, 6, 15, tzinfo=UTC).timestamp())
    return given


def _start_of(unit: str) -> float:
    """The start of the running period.

    Source: https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_TimePeriod.html
    """
    now = datetime.now(UTC)
    day = datetime(now.year, now.month, now.day, tzinfo=UTC)
    if unit == "DAILY":
        return day.timestamp()
    if unit == "QUARTERLY":
        return day.replace(month=now.month - (now.month - 1) % 3, day=1).timestamp()
    if unit == "ANNUALLY":
        return day.replace(month=1, day=1).timestamp()
    return day.replace(day=1).timestamp()


def _budget(backend: Any, account: str, name: str) -> Any:
    found = backend.budgets[account].get(name)
    if found is None:
        refuse("NotFoundException", f"Unable to get budget: {name} - the budget doesn't exist.")
    return found


def _describe_budget(backend: Any, request: dict[str, Any]) -> dict[str, Any]:
    found = _budget(backend, request["AccountId"], request["BudgetName"])
    return {"Budget": found.to_dict()}


def _describe_budgets(backend: Any, request: dict[str, Any]) -> dict[str, Any]:
    return {"Budgets": [one.to_dict() for one in backend.budgets[request["AccountId"]].values()]}


def _update_budget(backend: Any, request: dict[str, Any]) -> None:
    new = request["NewBudget"]
    found = _budget(backend, request["AccountId"], new["BudgetName"])
    refuse_budget(new)
    for one in found.notifications:
        refuse_notification(new, one.details, ())
    # "the calculatedSpend drops to zero until Amazon Web Services has new usage data"
    new.pop("CalculatedSpend", None)
    if "TimePeriod" not in new:
        new["TimePeriod"] = found.budget["TimePeriod"]
    found.budget = _completed(new) | {"LastUpdatedTime": datetime.now(UTC).timestamp()}


def _delete_budget(backend: Any, request: dict[str, Any]) -> None:
    account, name = request["AccountId"], request["BudgetName"]
    _budget(backend, account, name)
    del backend.budgets[account][name]
    _tags(backend).pop(_arn(backend, account, name), None)


def _notification(backend: Any, request: dict[str, Any], member: str = "Notification") -> Any:
    found = _budget(backend, request["AccountId"], request["BudgetName"])
    wanted = key_of(request[member])
    for one in found.notifications:
        if key_of(one.details) == wanted:
            return one
    refuse("NotFoundException", "The notification doesn't exist.")


def _create_notification(backend: Any, request: dict[str, Any]) -> None:
    found = _budget(backend, request["AccountId"], request["BudgetName"])
    present = [key_of(one.details) for one in found.notifications]
    refuse_notification(found.budget, request["Notification"], present)
    refuse_subscribers(request["AccountId"], request["Subscribers"])
    _complete(request["Notification"])
    found.add_notification(request["Notification"], request["Subscribers"])


def _update_notification(backend: Any, request: dict[str, Any]) -> None:
    found = _budget(backend, request["AccountId"], request["BudgetName"])
    one = _notification(backend, request, "OldNotification")
    others = [key_of(other.details) for other in found.notifications if other is not one]
    refuse_notification(found.budget, request["NewNotification"], others)
    _complete(request["NewNotification"])
    one.details = request["NewNotification"]


def _delete_notification(backend: Any, request: dict[str, Any]) -> None:
    one = _notification(backend, request)
    found = _budget(backend, request["AccountId"], request["BudgetName"])
    found.notifications.remove(one)


def _describe_notifications(backend: Any, request: dict[str, Any]) -> dict[str, Any]:
    found = _budget(backend, request["AccountId"], request["BudgetName"])
    return {"Notifications": [dict(one.details) for one in found.notifications]}


def _describe_subscribers(backend: Any, request: dict[str, Any]) -> dict[str, Any]:
    return {"Subscribers": _notification(backend, request).subscribers}


def _create_subscriber(backend: Any, request: dict[str, Any]) -> None:
    one = _notification(backend, request)
    wanted = [*one.subscribers, request["Subscriber"]]
    refuse_subscribers(request["AccountId"], wanted)
    one.subscribers = wanted


def _update_subscriber(backend: Any, request: dict[str, Any]) -> None:
    one = _notification(backend, request)
    others = _without(one.subscribers, request["OldSubscriber"])
    wanted = [*others, request["NewSubscriber"]]
    refuse_subscribers(request["AccountId"], wanted)
    one.subscribers = wanted


def _delete_subscriber(backend: Any, request: dict[str, Any]) -> None:
    one = _notification(backend, request)
    one.subscribers = _without(one.subscribers, request["Subscriber"])


def _without(subscribers: list[Any], gone: Mapping[str, Any]) -> list[Any]:
    kept = [one for one in subscribers if one != gone]
    if len(kept) == len(subscribers):
        refuse("NotFoundException", "The subscriber doesn't exist.")
    return kept


def _arn(backend: Any, account: str, name: str) -> str:
    return f"arn:{backend.partition}:budgets::{account}:budget/{name}"


def _tags(backend: Any) -> dict[str, dict[str, str]]:
    """Tags by ARN and key; moto's reset clears them with the rest."""
    return backend.__dict__.setdefault("tags_of_budgets", {})


def _tags_of(backend: Any, request: dict[str, Any]) -> dict[str, str]:
    found = _tags(backend).get(request["ResourceARN"])
    if found is None:
        refuse("NotFoundException", f"{request['ResourceARN']} doesn't exist.")
    return found


def _by_key(tags: list[dict[str, str]] | None) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in tags or ()}


def _tag_resource(backend: Any, request: dict[str, Any]) -> None:
    _tags_of(backend, request).update(_by_key(request["ResourceTags"]))


def _untag_resource(backend: Any, request: dict[str, Any]) -> None:
    found = _tags_of(backend, request)
    for key in request["ResourceTagKeys"]:
        found.pop(key, None)


def _list_tags(backend: Any, request: dict[str, Any]) -> dict[str, Any]:
    found = _tags_of(backend, request)
    return {"ResourceTags": [{"Key": k, "Value": v} for k, v in found.items()]}


def _about_action(
    operation: Callable[[Any, Any, Mapping[str, Any]], dict[str, Any]],
) -> Answer:
    def answer(backend: Any, request: dict[str, Any]) -> dict[str, Any]:
        account = request["AccountId"]
        found = _budget(backend, account, request["BudgetName"])
        told = operation(backend, found, request)
        if "ResourceTags" in request:
            arn = f"{_arn(backend, account, request['BudgetName'])}/action/{told['ActionId']}"
            _tags(backend)[arn] = _by_key(request["ResourceTags"])
        return told

    return answer


_OPERATIONS: Mapping[str, Answer] = {
    "CreateBudget": _create_budget,
    "DescribeBudget": _describe_budget,
    "DescribeBudgets": _describe_budgets,
    "UpdateBudget": _update_budget,
    "DeleteBudget": _delete_budget,
    "CreateNotification": _create_notification,
    "UpdateNotification": _update_notification,
    "DeleteNotification": _delete_notification,
    "DescribeNotificationsForBudget": _describe_notifications,
    "CreateSubscriber": _create_subscriber,
    "UpdateSubscriber": _update_subscriber,
    "DeleteSubscriber": _delete_subscriber,
    "DescribeSubscribersForNotification": _describe_subscribers,
    "TagResource": _tag_resource,
    "UntagResource": _untag_resource,
    "ListTagsForResource": _list_tags,
    **{name: _about_action(operation) for name, operation in budget_actions.OPERATIONS.items()},
}
