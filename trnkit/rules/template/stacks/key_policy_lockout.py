"""TRN863: a key's policy leaves somebody who can change it."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.template_value import TemplateValue, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_CHANGE = "kms:putkeypolicy"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for key in stack_set.resources("AWS::KMS::Key"):
        properties = properties_of(key)
        policy, bypass = properties["KeyPolicy"], properties["BypassPolicyLockoutSafetyCheck"]
        is_checked = bypass.is_absent or bypass.boolean() is False
        statements = policy["Statement"].entries()
        if policy.mapping() is None or not statements or not is_checked:
            continue
        if not any(_may_let_change(statement) for statement in statements):
            yield Violation(
                message=f"{key.logical_id}: its policy lets nobody of the account change it "
                "(kms:PutKeyPolicy), and KMS refuses such a key",
                hint="allow kms:* to the account, arn:aws:iam::<account>:root",
                resource=key,
                path=policy.path,
            )


def _may_let_change(statement: TemplateValue) -> bool:
    """Whether a statement may let a principal of an account change the policy."""
    if statement.mapping() is None:
        return True
    if statement["Effect"].text() == "Deny":
        return False
    if not statement["NotAction"].is_absent or not statement["NotPrincipal"].is_absent:
        return True
    actions = statement["Action"].entries()
    names = [action.text() for action in actions or ()]
    acts = actions is None or any(n is None or fnmatchcase(_CHANGE, n.lower()) for n in names)
    principal = statement["Principal"]
    is_somebody = principal.mapping() is None or not principal["AWS"].is_absent
    return acts and is_somebody


_HEAD = """\
Resources:
  Key:
    Type: AWS::KMS::Key
    Properties:
      KeyPolicy:
        Version: "2012-10-17"
        Statement:
          - Effect: Allow
            Action: %s
            Resource: "*"
            Principal: {AWS: "arn:aws:iam::111122223333:root"}
          - Effect: Allow
            Action: ["kms:GenerateDataKey*", "kms:Decrypt"]
            Resource: "*"
            Principal: {Service: budgets.amazonaws.com}
"""

RULE = TemplateRule(
    id="TRN863",
    title="a key's policy leaves somebody who can change it",
    severity=Severity.ERROR,
    why="KMS refuses a policy that locks its account out of the key, and the stack is rolled back; "
    "with the check switched off the key is out of everybody's hands for ever.",
    source="https://docs.aws.amazon.com/kms/latest/APIReference/API_CreateKey.html",
    good=_HEAD % '"kms:*"',
    bad=_HEAD % '"kms:Describe*"',
    check=_check,
)
