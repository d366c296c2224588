"""Spend is put into the emulated budget, and the alerts must come to those who are to hear."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.operations.rehearsal.budget_actions import prove_actions
from trnkit.operations.rehearsal.topics import barred, listening
from trnkit.report.words import count_of

if TYPE_CHECKING:
    from trnkit.emulation.resources.resource import Clients
    from trnkit.operations.rehearsal.stage import Stage

BUDGET = "AWS::Budgets::Budget"


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
    refusals = [reason for topic in topics for reason in _unheard(clients, topic)]
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
    prove_actions(stage, clients, name)
    stage.aws.inject_spend(name, 0, None)


def _unheard(clients: Clients, topic: str) -> list[str]:
    """Send what Budgets sends to a topic, and listen behind it.

    Budgets may publish only where the topic's policy says so. Source:
    https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html
    """
    reasons = barred(clients, topic, "budgets.amazonaws.com")
    if reasons:
        return reasons
    with listening(clients, topic) as hear:
        clients("sns").publish(TopicArn=topic, Subject="AWS Budgets", Message="threshold passed")
        heard = hear(1)
    return [] if heard else [f"{topic} does not pass its messages on"]
