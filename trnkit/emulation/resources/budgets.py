"""Budgets with their notifications and subscribers."""

from __future__ import annotations

from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.api_requests import request_of
from trnkit.emulation.resources.resource import (
    Clients,
    Made,
    Place,
    Proof,
    Properties,
    own_tags,
    partition_of,
)
from trnkit.emulation.resources.service_answers import properties_told, tags_told

_LONGEST_NAME = 100


class Budget:
    """``AWS::Budgets::Budget`` by CreateBudget and UpdateBudget."""

    name = "AWS::Budgets::Budget"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it, with a name of CloudFormation's when it has none."""
        budgets = place.clients("budgets")
        budget = dict(properties["Budget"])
        name = budget.setdefault("BudgetName", place.name(_LONGEST_NAME))
        members = {
            "AccountId": place.account,
            "Budget": budget,
            "NotificationsWithSubscribers": properties.get("NotificationsWithSubscribers"),
            "ResourceTags": own_tags(properties.get("ResourceTags")) or None,
        }
        budgets.create_budget(**request_of(budgets, "CreateBudget", members))
        return Made(str(name), {"Id": str(name)})

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change the budget and its tags; other notifications make another budget."""
        budgets = place.clients("budgets")
        if old["Budget"] != new["Budget"]:
            budget = {**new["Budget"], "BudgetName": made.physical_id}
            members = {"AccountId": place.account, "NewBudget": budget}
            budgets.update_budget(**request_of(budgets, "UpdateBudget", members))
        arn = budget_arn(place.account, place.region, made.physical_id)
        wanted = own_tags(new.get("ResourceTags"))
        keys = {tag["Key"] for tag in wanted}
        lost = [tag["Key"] for tag in own_tags(old.get("ResourceTags")) if tag["Key"] not in keys]
        if lost:
            budgets.untag_resource(ResourceARN=arn, ResourceTagKeys=lost)
        if wanted:
            budgets.tag_resource(ResourceARN=arn, ResourceTags=wanted)
        return Made(made.physical_id, {"Id": made.physical_id})

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it with its notifications."""
        budgets = place.clients("budgets")
        ids = {"AccountId": place.account, "BudgetName": physical_id}
        unless_gone(lambda: budgets.delete_budget(**ids), "NotFoundException")

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeBudget and the calls for notifications, subscribers and tags."""
        budgets = clients("budgets")
        account = clients("sts").get_caller_identity()["Account"]
        ids = {"AccountId": account, "BudgetName": physical_id}
        answer = unless_gone(
            lambda: budgets.describe_budget(**ids, ShowFilterExpression=True), "NotFoundException"
        )
        if answer is None:
            return None
        budget = {name: answer["Budget"][name] for name in _MEMBERS if name in answer["Budget"]}
        given = properties["Budget"]
        if "TimePeriod" in given:
            budget["TimePeriod"] = _period(given["TimePeriod"], budget.get("TimePeriod", {}))
        arn = budget_arn(account, budgets.meta.region_name, physical_id)
        tags = budgets.list_tags_for_resource(ResourceARN=arn).get("ResourceTags")
        told = {
            "Budget": budget,
            "NotificationsWithSubscribers": _notifications(budgets, ids),
        }
        return properties_told(properties, told) | {
            "ResourceTags": tags_told(properties.get("ResourceTags"), tags)
        }


_MEMBERS = (
    "AutoAdjustData",
    "BillingViewArn",
    "BudgetLimit",
    "BudgetName",
    "BudgetType",
    "CostFilters",
    "CostTypes",
    "FilterExpression",
    "Metrics",
    "PlannedBudgetLimits",
    "TimePeriod",
    "TimeUnit",
)


def _notifications(budgets: Any, ids: dict[str, str]) -> list[dict[str, Any]]:
    found = budgets.describe_notifications_for_budget(**ids).get("Notifications", [])
    told: list[dict[str, Any]] = []
    for notification in found:
        answer = budgets.describe_subscribers_for_notification(**ids, Notification=notification)
        plain = {k: v for k, v in notification.items() if k != "NotificationState"}
        told.append({"Notification": plain, "Subscribers": answer["Subscribers"]})
    return told


def _period(given: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """A period in the template's words: a date has many of them."""
    from botocore.utils import parse_timestamp

    answer: dict[str, Any] = {}
    for name, value in told.items():
        words = given.get(name)
        same = words is not None and _utc(parse_timestamp(words)) == _utc(value)
        answer[name] = words if same else value.isoformat()
    return answer


def _utc(moment: Any) -> float:
    from datetime import UTC

    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def budget_arn(account: str, region: str, name: str) -> str:
    """The ARN of a budget."""
    return f"arn:{partition_of(region)}:budgets::{account}:budget/{name}"


TYPES = (Budget(),)
