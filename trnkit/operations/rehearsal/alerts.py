"""Spend is put into the emulated budget, and the alerts must come to those who are to hear."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trnkit.report.words import count_of

if TYPE_CHECKING:
    from trnkit.emulation.resources.resource import Clients
    from trnkit.operations.rehearsal.stage import Stage

BUDGET = "AWS::Budgets::Budget"
_WAIT_SECONDS = 5


def prove_alerts(stage: Stage) -> None:
    """Spend twice the limit of each budget, and look who is told."""
    for stack in stage.inventory().values():
        for resource in stack["resources"].values():
            if resource["type"] == BUDGET:
                _spend(stage, stage.aws.clients(stack["region"]), resource)


def _spend(stage: Stage, clients: Clients, resource: dict[str, Any]) -> None:
    budget, name = resource["properties"]["Budget"], resource["physical_id"]
    stage.progress.step("create", f"spend twice the limit of {name}")
    limit = float(budget["BudgetLimit"]["Amount"])
    stage.aws.inject_spend(name, 2 * limit, 2 * limit)
    service = clients("budgets")
    place = {"AccountId": stage.aws.account, "BudgetName": name}
    notifications = service.describe_notifications_for_budget(**place).get("Notifications", [])
    silent = [one for one in notifications if one.get("NotificationState") != "ALARM"]
    addresses: list[str] = []
    for one in notifications:
        told = {k: v for k, v in one.items() if k != "NotificationState"}
        answer = service.describe_subscribers_for_notification(**place, Notification=told)
        addresses += [subscriber["Address"] for subscriber in answer["Subscribers"]]
    topics = sorted({address for address in addresses if address.startswith("arn:")})
    people = sorted(set(addresses) - set(topics))
    refusals = [reason for topic in topics if (reason := _unheard(clients, topic))]
    holds = bool(notifications) and not silent and bool(addresses) and not refusals
    counted = ", ".join(
        [
            count_of(len(notifications), "threshold"),
            count_of(len(people), "address"),
            count_of(len(topics), "topic"),
        ]
    )
    stage.tell(
        holds,
        f"budget {name}: spend of twice its limit sets off every alert ({counted})"
        if holds
        else f"budget {name}: spend of twice its limit does not reach everybody ({counted})",
        *(f"{one['NotificationType']} {one['Threshold']} stays silent" for one in silent),
        *refusals,
    )
    stage.aws.inject_spend(name, 0, None)


def _unheard(clients: Clients, topic: str) -> str | None:
    """Send what Budgets sends to a topic, and listen behind it.

    Budgets may publish only where the topic's policy says so. Source:
    https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html
    """
    attributes = clients("sns").get_topic_attributes(TopicArn=topic)["Attributes"]
    if not _lets_budgets_publish(json.loads(attributes.get("Policy") or "{}"), topic):
        return f"the policy of {topic} does not let budgets.amazonaws.com publish"
    queue = clients("sqs").create_queue(QueueName="trnkit-rehearsal-listens")["QueueUrl"]
    arn = clients("sqs").get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])
    subscription = clients("sns").subscribe(
        TopicArn=topic,
        Protocol="sqs",
        Endpoint=arn["Attributes"]["QueueArn"],
        ReturnSubscriptionArn=True,
    )["SubscriptionArn"]
    try:
        clients("sns").publish(TopicArn=topic, Subject="AWS Budgets", Message="threshold passed")
        heard = clients("sqs").receive_message(QueueUrl=queue, WaitTimeSeconds=_WAIT_SECONDS)
    finally:
        clients("sns").unsubscribe(SubscriptionArn=subscription)
        clients("sqs").delete_queue(QueueUrl=queue)
    return None if heard.get("Messages") else f"{topic} does not pass its messages on"


def _lets_budgets_publish(policy: dict[str, Any], topic: str) -> bool:
    for statement in policy.get("Statement", ()):
        services = statement.get("Principal", {})
        named = services.get("Service", ()) if isinstance(services, dict) else ()
        principals = [named] if isinstance(named, str) else list(named)
        actions = statement.get("Action", ())
        actions = [actions] if isinstance(actions, str) else list(actions)
        resources = statement.get("Resource", "*")
        resources = [resources] if isinstance(resources, str) else list(resources)
        if (
            statement.get("Effect") == "Allow"
            and "budgets.amazonaws.com" in principals
            and any(action.lower() in {"sns:publish", "sns:*", "*"} for action in actions)
            and (topic in resources or "*" in resources)
        ):
            return True
    return False
