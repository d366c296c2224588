"""TRN481: a budget's action attaches its policy to roles that take one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_LINKED = "AWSServiceRole"
_LINKED_ROLE = "AWS::IAM::ServiceLinkedRole"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for action in stack_set.resources("AWS::Budgets::BudgetsAction"):
        roles = properties_of(action)["Definition"]["IamActionDefinition"]["Roles"]
        for role in roles.entries() or ():
            made = role.referred(_LINKED_ROLE)
            name = made.logical_id if made is not None else role.text() or ""
            if made is None and not name.startswith(_LINKED):
                continue
            yield Violation(
                message=f"{action.logical_id}: attaches its policy to {name}, a service-linked "
                "role, which takes no policy",
                hint="name the roles of people and pipelines; what a service launches for itself "
                "must be stopped there, for example by suspending an Auto Scaling group's Launch "
                "process",
                resource=action,
                path=role.path,
            )


_ACTION = """\
Resources:
  Action:
    Type: AWS::Budgets::BudgetsAction
    Properties:
      BudgetName: pretrain
      NotificationType: ACTUAL
      ActionThreshold: {Type: PERCENTAGE, Value: 100}
      ActionType: APPLY_IAM_POLICY
      ExecutionRoleArn: arn:aws:iam::111122223333:role/budget-actions
      Definition:
        IamActionDefinition:
          PolicyArn: arn:aws:iam::111122223333:policy/deny-launches
          Roles: [%s]
      Subscribers: [{Type: EMAIL, Address: ml-platform@example.com}]
"""

RULE = TemplateRule(
    id="TRN481",
    title="a budget's action attaches its policy to roles that take one",
    severity=Severity.ERROR,
    why="Nobody may change a service-linked role: the action fails on the day on which the budget "
    "is passed, and Auto Scaling goes on launching.",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_create-service-linked-role.html",
    good=_ACTION % "ml-engineers",
    bad=_ACTION % "AWSServiceRoleForAutoScaling",
    check=_check,
)
