"""TRN465: somebody subscribes to a topic that alone hears of a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.budget_resources import TOPIC, BudgetResource, budgets, has_subscribers
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    told: set[Resource] = set()
    for found in budgets(stack_set):
        for topic in _only_hearers(found):
            if topic not in told and has_subscribers(topic, stack_set) is False:
                told.add(topic)
                yield Violation(
                    message=f"{topic.logical_id}: nobody subscribes to it here, but alerts of the "
                    f"budget {found.name} go nowhere else",
                    hint="add AWS::SNS::Subscription, or an address to the budget's subscribers",
                    resource=topic,
                )


def _only_hearers(found: BudgetResource) -> Iterator[Resource]:
    """The topics of notifications that no address hears of."""
    for notification in found.notifications or ():
        subscribers = notification["Subscribers"].entries() or ()
        if any(entry["SubscriptionType"].text() != "SNS" for entry in subscribers):
            continue
        for entry in subscribers:
            topic = entry["Address"].referred(TOPIC)
            if topic is not None:
                yield topic


_HEAD = """\
Resources:
  Topic: {Type: AWS::SNS::Topic}
  Budget:
    Type: AWS::Budgets::Budget
    Properties:
      Budget: {BudgetType: COST, TimeUnit: MONTHLY, BudgetLimit: {Amount: 100, Unit: USD}}
      NotificationsWithSubscribers:
        - Notification: {NotificationType: ACTUAL, ComparisonOperator: GREATER_THAN, Threshold: 80}
          Subscribers: [{SubscriptionType: SNS, Address: {Ref: Topic}}]
  Subscription:
    Type: AWS::SNS::Subscription
    Properties: {TopicArn: %s, Protocol: email, Endpoint: ml-platform@example.com}
"""

RULE = TemplateRule(
    id="TRN465",
    title="somebody subscribes to a topic that alone hears of a budget",
    severity=Severity.WARNING,
    why="A topic without subscribers takes every alert and tells nobody.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html",
    good=_HEAD % "{Ref: Topic}",
    bad=_HEAD % "arn:aws:sns:us-east-1:111122223333:another",
    check=_check,
    judges_absence=True,
)
