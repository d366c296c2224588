"""TRN453: a budget's topic lets AWS Budgets publish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.budget_resources import TOPIC, topics_of_budgets
from trnkit.rules.policy_statements import BUDGETS, allows
from trnkit.rules.rule import TemplateRule, Violation
from trnkit.rules.template_value import properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for topic, budget in topics_of_budgets(stack_set).items():
        verdicts = list(_verdicts(topic, stack_set))
        if any(verdict is not False for verdict in verdicts):
            continue
        has = "has a policy that does not let" if verdicts else "has no policy that lets"
        yield Violation(
            message=f"{topic.logical_id}: {has} {BUDGETS} publish, but the budget {budget.name} "
            "notifies it",
            hint=f"allow sns:Publish to the service {BUDGETS} in AWS::SNS::TopicPolicy",
            resource=topic,
        )


def _verdicts(topic: Resource, stack_set: StackSet) -> Iterator[bool | None]:
    """What each policy says that is, or may be, the topic's."""
    for policy in stack_set.resources("AWS::SNS::TopicPolicy", "AWS::SNS::TopicInlinePolicy"):
        properties = properties_of(policy)
        inline = policy.type.endswith("InlinePolicy")
        topics = properties["TopicArn" if inline else "Topics"].entries()
        if topics is None or any(value.is_unknown for value in topics):
            yield None
        elif any(value.referred(TOPIC) is topic for value in topics):
            yield allows(properties["PolicyDocument"], BUDGETS, ("sns:Publish",))


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
  Policy:
    Type: AWS::SNS::TopicPolicy
    Properties:
      Topics: [{Ref: Topic}]
      PolicyDocument:
        Statement:
          - Effect: Allow
            Action: sns:Publish
            Resource: {Ref: Topic}
            Principal: {Service: %s}
"""

RULE = TemplateRule(
    id="TRN453",
    title="a budget's topic lets AWS Budgets publish",
    severity=Severity.ERROR,
    why="Otherwise the budget is made and its alerts never arrive.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html",
    good=_HEAD % "budgets.amazonaws.com",
    bad=_HEAD % "cloudwatch.amazonaws.com",
    check=_check,
)
