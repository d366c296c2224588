"""Mistakes in budgets, topics and anomaly detection."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.mutations.kind import BUDGET, Kind, Properties, drop, each, put, remove, with_forecast

_cost = partial(Kind, stack="Cost")
_TOPIC_POLICY, _KEY = "AWS::SNS::TopicPolicy", "AWS::KMS::Key"


def _notification(change: Any) -> Any:
    return each(BUDGET, lambda budget: change(budget["NotificationsWithSubscribers"]))


def _twelve(listed: list[dict[str, Any]]) -> None:
    listed[0]["Subscribers"] = [
        {"SubscriptionType": "EMAIL", "Address": f"team{n}@example.com"} for n in range(12)
    ]


def _two_topics(listed: list[dict[str, Any]]) -> None:
    listed[0]["Subscribers"] = [
        {"SubscriptionType": "SNS", "Address": f"arn:aws:sns:us-east-1:111122223333:alerts-{n}"}
        for n in range(2)
    ]


def _nobody(listed: list[dict[str, Any]]) -> None:
    listed[0]["Subscribers"] = []


def _same_twice(listed: list[dict[str, Any]]) -> None:
    listed.append(listed[0])


def _eleven(listed: list[dict[str, Any]]) -> None:
    first = listed[0]
    listed.extend(
        {**first, "Notification": {**first["Notification"], "Threshold": 10 + n}} for n in range(11)
    )


def _tagged(change: Any) -> Any:
    def of_tag(budget: Properties) -> bool | None:
        filters = budget["Budget"].get("CostFilters", {})
        return change(filters) if "TagKeyValue" in filters else False

    return each(BUDGET, of_tag)


def _no_prefix(filters: dict[str, Any]) -> None:
    filters["TagKeyValue"] = [filters["TagKeyValue"][0].removeprefix("user:")]


def _equals_sign(filters: dict[str, Any]) -> None:
    filters["TagKeyValue"] = [filters["TagKeyValue"][0].replace("$", "=")]


def _other_value(filters: dict[str, Any]) -> None:
    filters["TagKeyValue"] = [f"{filters['TagKeyValue'][0]}-new"]


def _other_key(filters: dict[str, Any]) -> None:
    filters["TagKeyValue"] = ["user:Project$llm"]


def _no_publisher(properties: Properties) -> bool:
    statements = properties["PolicyDocument"]["Statement"]
    kept = [one for one in statements if "budgets" not in str(one["Principal"])]
    changed = len(kept) < len(statements)
    properties["PolicyDocument"]["Statement"] = kept
    return changed


def _other_account(properties: Properties) -> bool:
    for statement in properties["PolicyDocument"]["Statement"]:
        if "budgets" in str(statement["Principal"]):
            statement["Condition"] = {"ArnLike": {"aws:SourceArn": "arn:aws:ec2:*:*:*"}}
            return True
    return False


def _no_use_of_the_key(properties: Properties) -> bool:
    statements = properties["KeyPolicy"]["Statement"]
    kept = [one for one in statements if "budgets" not in str(one["Principal"])]
    changed = len(kept) < len(statements)
    properties["KeyPolicy"]["Statement"] = kept
    return changed


COST = (
    _cost(id="twelve addresses", change=_notification(_twelve), rule="TRN451"),
    _cost(id="two topics", change=_notification(_two_topics), rule="TRN451"),
    _cost(id="nobody hears", change=_notification(_nobody), rule="TRN451"),
    _cost(id="a threshold twice", change=_notification(_same_twice), rule="TRN455"),
    _cost(id="more thresholds than ten", change=_notification(_eleven), rule="TRN451"),
    _cost(id="a tag without its prefix", change=_tagged(_no_prefix), rule="TRN452"),
    _cost(id="a tag with an equals sign", change=_tagged(_equals_sign), rule="TRN452"),
    _cost(id="a value that no node carries", change=_tagged(_other_value), rule="TRN452"),
    _cost(id="a key that no node carries", change=_tagged(_other_key), rule="TRN452"),
    _cost(id="Budgets may not publish", change=each(_TOPIC_POLICY, _no_publisher), rule="TRN453"),
    _cost(
        id="a topic policy for others' budgets",
        change=each(_TOPIC_POLICY, _other_account),
        rule="TRN453",
    ),
    _cost(id="no topic policy", change=remove(_TOPIC_POLICY), rule="TRN453"),
    _cost(id="Budgets may not use the key", change=each(_KEY, _no_use_of_the_key), rule="TRN454"),
    _cost(
        id="the topic's own AWS key",
        change=put("AWS::SNS::Topic", "KmsMasterKeyId", "alias/aws/sns", begins="BudgetAlarm"),
        rule="TRN454",
    ),
    _cost(id="a limit of 0", change=put(BUDGET, "Budget.BudgetLimit.Amount", 0), rule="TRN455"),
    _cost(id="euros", change=put(BUDGET, "Budget.BudgetLimit.Unit", "EUR"), rule="TRN455"),
    _cost(
        id="an expression beside the filters",
        change=put(
            BUDGET,
            "Budget.FilterExpression",
            {"Tags": {"Key": "trnkit-cluster", "Values": ["pretrain"]}},
        ),
        rule="TRN455",
    ),
    _cost(
        id="a service by its console name",
        change=put(BUDGET, "Budget.CostFilters", {"Service": ["EC2-Instances"]}),
        rule="TRN457",
    ),
    _cost(
        id="a forecast per day",
        change=put(BUDGET, "Budget.TimeUnit", "DAILY"),
        rule="TRN467",
        needs=with_forecast,
    ),
    _cost(
        id="a fraction for a percentage",
        change=put(BUDGET, "NotificationsWithSubscribers.0.Notification.Threshold", 0.8),
        rule="TRN470",
    ),
    _cost(
        id="an anomaly subscription without a threshold",
        change=drop("AWS::CE::AnomalySubscription", "ThresholdExpression"),
        rule="TRN462",
    ),
)
