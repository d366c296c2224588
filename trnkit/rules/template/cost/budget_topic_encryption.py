"""TRN454: AWS Budgets may use the key of an encrypted topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.topic_access import judge_encryption
from trnkit.rules.reading.budget_resources import topics_of_budgets
from trnkit.rules.reading.policy_statements import BUDGETS
from trnkit.rules.rule import TemplateRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.rule import Violation
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for topic, budget in topics_of_budgets(stack_set).items():
        yield from judge_encryption(topic, BUDGETS, f"the budget {budget.name} notifies it")


_HEAD = """\
Resources:
  Topic:
    Type: AWS::SNS::Topic
    Properties: {KmsMasterKeyId: %s}
  Budget:
    Type: AWS::Budgets::Budget
    Properties:
      Budget: {BudgetType: COST, TimeUnit: MONTHLY, BudgetLimit: {Amount: 100, Unit: USD}}
      NotificationsWithSubscribers:
        - Notification: {NotificationType: ACTUAL, ComparisonOperator: GREATER_THAN, Threshold: 80}
          Subscribers: [{SubscriptionType: SNS, Address: {Ref: Topic}}]
  Key:
    Type: AWS::KMS::Key
    Properties:
      KeyPolicy:
        Statement:
          - Effect: Allow
            Action: ["kms:GenerateDataKey*", "kms:Decrypt"]
            Resource: "*"
            Principal: {Service: budgets.amazonaws.com}
"""

RULE = TemplateRule(
    id="TRN454",
    title="AWS Budgets may use the key of an encrypted topic",
    severity=Severity.ERROR,
    why="The policy of the AWS-managed key cannot be changed; alerts to a topic whose key AWS "
    "Budgets may not use are lost without a word.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html",
    good=_HEAD % "{Ref: Key}",
    bad=_HEAD % "alias/aws/sns",
    check=_check,
)
