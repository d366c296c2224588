"""TRN473: the addresses of a budget's subscribers are of their kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.budget_resources import TOPIC, BudgetResource, budgets
from trnkit.rules.rule import TemplateRule, Violation
from trnkit.rules.stack_set import Reference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_TOPIC_ARN = re.compile(r"arn:[a-z-]+:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_.-]+")
_ARN_ATTRIBUTES = (None, "TopicArn")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in budgets(stack_set):
        for notification in found.notifications or ():
            for subscriber in notification["Subscribers"].entries() or ():
                wrong = _judge(subscriber)
                if wrong is not None:
                    yield _violation(found, subscriber["Address"], *wrong)


def _judge(subscriber: TemplateValue) -> tuple[str, str] | None:
    kind, address = subscriber["SubscriptionType"].text(), subscriber["Address"]
    text = address.text()
    if kind == "EMAIL" and text is not None and _EMAIL.fullmatch(text) is None:
        return f"goes by e-mail to {text}, which is no e-mail address", "write an e-mail address"
    if kind != "SNS":
        return None
    if text is not None and _TOPIC_ARN.fullmatch(text) is None:
        return f"goes to the topic {text}, which is no topic's ARN", "write the ARN of a topic"
    topic, named = address.referred(TOPIC), address.value
    attribute = named.attribute if isinstance(named, Reference) else None
    if topic is None or attribute in _ARN_ATTRIBUTES:
        return None
    text = f"goes to {attribute} of {topic.logical_id}, which is no ARN"
    return text, f"write Ref: {topic.logical_id}"


def _violation(found: BudgetResource, value: TemplateValue, text: str, hint: str) -> Violation:
    return Violation(
        message=f"{found.name}: a notification {text}",
        hint=hint,
        resource=found.resource,
        path=value.path,
    )


_BUDGET = """\
Resources:
  Budget:
    Type: AWS::Budgets::Budget
    Properties:
      Budget: {BudgetType: COST, TimeUnit: MONTHLY, BudgetLimit: {Amount: 100, Unit: USD}}
      NotificationsWithSubscribers:
        - Notification: {NotificationType: ACTUAL, ComparisonOperator: GREATER_THAN, Threshold: 80}
          Subscribers:
            - {SubscriptionType: EMAIL, Address: %s}
"""

RULE = TemplateRule(
    id="TRN473",
    title="the addresses of a budget's subscribers are of their kind",
    severity=Severity.ERROR,
    why="AWS Budgets refuses the notification, and the budget with it, when the stack is deployed.",
    source="https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_Subscriber.html",
    good=_BUDGET % "ml-platform@example.com",
    bad=_BUDGET % "ml-platform",
    check=_check,
)
