"""TRN482: a budget's action has the definition of its type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_DEFINITIONS = {
    "APPLY_IAM_POLICY": "IamActionDefinition",
    "APPLY_SCP_POLICY": "ScpActionDefinition",
    "RUN_SSM_DOCUMENTS": "SsmActionDefinition",
}
_TARGETS = ("Roles", "Users", "Groups")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for action in stack_set.resources("AWS::Budgets::BudgetsAction"):
        properties = properties_of(action)
        kind, definition = properties["ActionType"].text() or "", properties["Definition"]
        wanted = _DEFINITIONS.get(kind)
        if wanted is None or definition.mapping() is None:
            continue
        if definition[wanted].is_absent:
            yield Violation(
                message=f"{action.logical_id}: is of ActionType {kind} and has no {wanted}",
                hint=f"write Definition.{wanted}, or the ActionType of the definition that is "
                "there",
                resource=action,
                path=definition.path,
            )
            continue
        found = [definition[wanted][key].entries() for key in _TARGETS]
        if kind == "APPLY_IAM_POLICY" and all(entries == () for entries in found):
            yield Violation(
                message=f"{action.logical_id}: attaches its policy to no role, user or group",
                hint=f"name at least one in Definition.{wanted}.Roles",
                resource=action,
                path=definition[wanted].path,
            )


_ACTION = """\
Resources:
  Action:
    Type: AWS::Budgets::BudgetsAction
    Properties:
      BudgetName: pretrain
      NotificationType: ACTUAL
      ActionThreshold: {Type: PERCENTAGE, Value: 100}
      ActionType: %s
      ExecutionRoleArn: arn:aws:iam::111122223333:role/budget-actions
      Definition:
        IamActionDefinition:
          PolicyArn: arn:aws:iam::111122223333:policy/deny-launches
          Roles: [ml-engineers]
      Subscribers: [{Type: EMAIL, Address: ml-platform@example.com}]
"""

RULE = TemplateRule(
    id="TRN482",
    title="a budget's action has the definition of its type, and something to act on",
    severity=Severity.ERROR,
    why="AWS Budgets refuses the action when the stack is deployed; the registry's schema takes "
    "any definition with any type.",
    source="https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_Definition.html",
    good=_ACTION % "APPLY_IAM_POLICY",
    bad=_ACTION % "RUN_SSM_DOCUMENTS",
    check=_check,
)
