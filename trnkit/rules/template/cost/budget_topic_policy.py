"""TRN453: a budget's topic lets AWS Budgets publish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.budget_resources import policy_verdicts, topics_of_budgets
from trnkit.rules.reading.policy_statements import BUDGETS
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for topic, budget in topics_of_budgets(stack_set).items():
        verdicts = list(policy_verdicts(topic, BUDGETS, stack_set))
        if any(verdict is not False for verdict in verdicts):
            continue
        has = "has a policy that does not let" if verdicts else "has no policy that lets"
        yield Violation(
            message=f"{topic.logical_id}: {has} {BUDGETS} publish, but the budget {budget.name} "
            "notifies it",
            hint=f"allow sns:Publish to the service {BUDGETS} in AWS::SNS::TopicPolicy",
            resource=topic,
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
