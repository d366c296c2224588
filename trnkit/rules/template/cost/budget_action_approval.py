"""TRN490: somebody hears that a budget action waits for approval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.budget_resources import TOPIC, has_subscribers
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for action in stack_set.resources("AWS::Budgets::BudgetsAction"):
        properties = properties_of(action)
        if properties["ApprovalModel"].text() != "MANUAL":
            continue
        subscribers = properties["Subscribers"].entries()
        if not subscribers or any(entry["Type"].text() != "SNS" for entry in subscribers):
            continue
        topics = [entry["Address"].referred(TOPIC) for entry in subscribers]
        deaf = [t for t in topics if t is not None and has_subscribers(t, stack_set) is False]
        if len(deaf) == len(topics):
            yield Violation(
                message=f"{action.logical_id}: waits for approval, and says so to "
                f"{deaf[0].logical_id} alone, to which nobody subscribes here",
                hint="add AWS::SNS::Subscription, or an EMAIL subscriber of the action",
                resource=action,
                path=properties["Subscribers"].path,
            )


_HEAD = """\
Resources:
  Topic: {Type: AWS::SNS::Topic}
  Action:
    Type: AWS::Budgets::BudgetsAction
    Properties:
      BudgetName: month
      ActionType: APPLY_IAM_POLICY
      NotificationType: ACTUAL
      ActionThreshold: {Type: PERCENTAGE, Value: 100}
      ApprovalModel: MANUAL
      ExecutionRoleArn: arn:aws:iam::111122223333:role/budgets
      Definition:
        IamActionDefinition: {PolicyArn: "arn:aws:iam::111122223333:policy/no", Roles: [engineers]}
      Subscribers: [{Type: SNS, Address: {Ref: Topic}}]
  Subscription:
    Type: AWS::SNS::Subscription
    Properties: {TopicArn: %s, Protocol: email, Endpoint: ml-platform@example.com}
"""

RULE = TemplateRule(
    id="TRN490",
    title="somebody hears that a budget action waits for approval",
    severity=Severity.WARNING,
    why="With the approval model MANUAL nothing is done before somebody approves, and nobody does "
    "who is not told.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-controls.html",
    good=_HEAD % "{Ref: Topic}",
    bad=_HEAD % "arn:aws:sns:us-east-1:111122223333:another",
    check=_check,
    judges_absence=True,
)
