"""Actions of budgets."""

from __future__ import annotations

from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.api_requests import request_of
from trnkit.emulation.resources.budgets import budget_arn
from trnkit.emulation.resources.resource import (
    Clients,
    Made,
    Place,
    Proof,
    Properties,
    own_tags,
)
from trnkit.emulation.resources.service_answers import tags_told

_GONE = "NotFoundException"
_ACTION = (
    "ActionThreshold",
    "ActionType",
    "ApprovalModel",
    "BudgetName",
    "Definition",
    "ExecutionRoleArn",
    "NotificationType",
)
_CHANGEABLE = (
    "ActionThreshold",
    "ApprovalModel",
    "Definition",
    "ExecutionRoleArn",
    "NotificationType",
)


class BudgetsAction:
    """``AWS::Budgets::BudgetsAction`` by CreateBudgetAction and UpdateBudgetAction.

    Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-budgets-budgetsaction.html
    """

    name = "AWS::Budgets::BudgetsAction"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it; without a word about approval it waits for that."""
        budgets = place.clients("budgets")
        members = {
            "AccountId": place.account,
            "BudgetName": properties["BudgetName"],
            "ActionType": properties["ActionType"],
            # A template may leave it out, a request may not.
            "ApprovalModel": properties.get("ApprovalModel", "MANUAL"),
            "Subscribers": _to_api(properties.get("Subscribers")),
            "ResourceTags": own_tags(properties.get("ResourceTags")) or None,
            **{name: properties[name] for name in _CHANGEABLE if name in properties},
        }
        members["ActionThreshold"] = _threshold_to_api(properties["ActionThreshold"])
        answer = budgets.create_budget_action(**request_of(budgets, "CreateBudgetAction", members))
        return _made(answer["ActionId"], str(properties["BudgetName"]))

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change all that may be changed in place, and its tags."""
        budgets = place.clients("budgets")
        action, _, budget = made.physical_id.partition("|")
        members = {
            "AccountId": place.account,
            "BudgetName": budget,
            "ActionId": action,
            "Subscribers": _to_api(new.get("Subscribers")),
            **{name: new[name] for name in _CHANGEABLE if name in new},
        }
        members["ActionThreshold"] = _threshold_to_api(new["ActionThreshold"])
        budgets.update_budget_action(**request_of(budgets, "UpdateBudgetAction", members))
        arn = _arn(place.account, place.region, made.physical_id)
        wanted = own_tags(new.get("ResourceTags"))
        keys = {tag["Key"] for tag in wanted}
        lost = [tag["Key"] for tag in own_tags(old.get("ResourceTags")) if tag["Key"] not in keys]
        if lost:
            budgets.untag_resource(ResourceARN=arn, ResourceTagKeys=lost)
        if wanted:
            budgets.tag_resource(ResourceARN=arn, ResourceTags=wanted)
        return _made(action, budget)

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it."""
        budgets, ids = place.clients("budgets"), _ids(place.account, physical_id)
        unless_gone(lambda: budgets.delete_budget_action(**ids), _GONE)

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeBudgetAction and ListTagsForResource."""
        budgets = clients("budgets")
        account = clients("sts").get_caller_identity()["Account"]
        ids = _ids(account, physical_id)
        answer = unless_gone(lambda: budgets.describe_budget_action(**ids), _GONE)
        if answer is None:
            return None
        action = answer["Action"]
        told = {name: action[name] for name in _ACTION if name in action}
        threshold = action["ActionThreshold"]
        told["ActionThreshold"] = {
            "Type": threshold["ActionThresholdType"],
            "Value": threshold["ActionThresholdValue"],
        }
        told["Subscribers"] = [
            {"Type": one["SubscriptionType"], "Address": one["Address"]}
            for one in action.get("Subscribers", ())
        ]
        arn = _arn(account, budgets.meta.region_name, physical_id)
        tags = budgets.list_tags_for_resource(ResourceARN=arn).get("ResourceTags")
        return told | {"ResourceTags": tags_told(properties.get("ResourceTags"), tags)}


def _made(action: str, budget: str) -> Made:
    return Made(f"{action}|{budget}", {"ActionId": action})


def _ids(account: str, physical_id: str) -> dict[str, str]:
    action, _, budget = physical_id.partition("|")
    return {"AccountId": account, "BudgetName": budget, "ActionId": action}


def _arn(account: str, region: str, physical_id: str) -> str:
    action, _, budget = physical_id.partition("|")
    return f"{budget_arn(account, region, budget)}/action/{action}"


def _to_api(subscribers: Any) -> list[dict[str, Any]]:
    """Subscribers, whose members have other names in a template."""
    return [
        {"SubscriptionType": one["Type"], "Address": one["Address"]} for one in subscribers or ()
    ]


def _threshold_to_api(threshold: Any) -> dict[str, Any]:
    return {
        "ActionThresholdType": threshold["Type"],
        "ActionThresholdValue": threshold["Value"],
    }


TYPES = (BudgetsAction(),)
