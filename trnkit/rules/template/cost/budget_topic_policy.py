"""TRN453: a budget's topic lets AWS Budgets publish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.topic_access import judge_publishing
from trnkit.rules.reading.budget_resources import topics_of_budgets
from trnkit.rules.reading.policy_statements import BUDGETS
from trnkit.rules.rule import TemplateRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.rule import Violation
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for topic, budget in topics_of_budgets(stack_set).items():
        sender = f"the budget {budget.name} notifies it"
        yield from judge_publishing(topic, BUDGETS, sender, stack_set)


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
    judges_absence=True,
)
