"""TRN466: a subscription's endpoint fits its protocol."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.anomaly_resources import topics_of_anomalies
from trnkit.rules.reading.budget_resources import TOPIC, topics_of_budgets
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_SHAPES = {
    "email": re.compile(".@."),
    "https": re.compile("^https://."),
    "lambda": re.compile("^arn:[^:]+:lambda:"),
    "sqs": re.compile("^arn:[^:]+:sqs:"),
}
_NAMES = {
    "email": "an e-mail address",
    "https": "an https:// address",
    "lambda": "the ARN of a function",
    "sqs": "the ARN of a queue",
}


def _check(stack_set: StackSet) -> Iterator[Violation]:
    topics = {*topics_of_budgets(stack_set), *topics_of_anomalies(stack_set)}
    for resource in stack_set.resources("AWS::SNS::Subscription"):
        properties = properties_of(resource)
        topic, endpoint = properties["TopicArn"].referred(TOPIC), properties["Endpoint"]
        protocol, text = properties["Protocol"].text(), endpoint.text()
        if topic not in topics or text is None or protocol not in _SHAPES:
            continue
        if _SHAPES[protocol].search(text) is None:
            yield Violation(
                message=f"{resource.logical_id}: has the protocol {protocol} and the endpoint "
                f"{text}; it must be {_NAMES[protocol]}",
                hint=f"write {_NAMES[protocol]}, or take another protocol",
                resource=resource,
                path=endpoint.path,
            )


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
    Properties: {TopicArn: {Ref: Topic}, Protocol: https, Endpoint: "%s"}
"""

RULE = TemplateRule(
    id="TRN466",
    title="a subscription to an alert topic fits its protocol",
    severity=Severity.ERROR,
    why="SNS refuses the subscription, and the deployment fails; a FIFO queue it cannot serve from "
    "a standard topic.",
    source="https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html",
    good=_HEAD % "https://alerts.example.com/budget",
    bad=_HEAD % "http://alerts.example.com/budget",
    check=_check,
)
