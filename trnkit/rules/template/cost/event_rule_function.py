"""TRN483: a function that a rule of EventBridge runs lets EventBridge in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

_FUNCTION = "AWS::Lambda::Function"
_PERMISSION = "AWS::Lambda::Permission"
_EVENTS = "events.amazonaws.com"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    admitted = stack_set.derive(_admitted)
    if None in admitted:
        return  # A permission for a function that is not known may be for any of them.
    for rule in stack_set.resources("AWS::Events::Rule"):
        for target in properties_of(rule)["Targets"].entries() or ():
            function = target["Arn"].referred(_FUNCTION)
            if function is None or function in admitted or not target["RoleArn"].is_absent:
                continue
            yield Violation(
                message=f"{rule.logical_id}: runs the function {function.logical_id}, and no "
                f"AWS::Lambda::Permission lets {_EVENTS} invoke it",
                hint="add one with Action lambda:InvokeFunction, Principal "
                f"{_EVENTS} and the rule's Arn as SourceArn",
                resource=rule,
                path=target.path,
            )


def _admitted(stack_set: StackSet) -> set[Resource | None]:
    """The functions that let EventBridge in; None among them stands for one not known."""
    found: set[Resource | None] = set()
    for permission in stack_set.resources(_PERMISSION):
        properties = properties_of(permission)
        principal = properties["Principal"].text()
        if principal in (_EVENTS, "*", None):
            found.add(_function(properties["FunctionName"], stack_set))
    return found


def _function(value: TemplateValue, stack_set: StackSet) -> Resource | None:
    """The function that a permission is for, by reference or by a name of its own."""
    referred = value.referred(_FUNCTION)
    if referred is not None:
        return referred
    name = (value.text() or "").rpartition(":function:")[2]
    for function in stack_set.resources(_FUNCTION):
        if name and properties_of(function)["FunctionName"].text() == name:
            return function
    return None


_HEAD = """\
Resources:
  Watchdog:
    Type: AWS::Lambda::Function
    Properties:
      Runtime: python3.13
      Handler: watchdog.handle
      Role: arn:aws:iam::111122223333:role/watchdog
      Code: {S3Bucket: our-code, S3Key: watchdog.zip}
  EveryFiveMinutes:
    Type: AWS::Events::Rule
    Properties:
      ScheduleExpression: rate(5 minutes)
      Targets: [{Id: watchdog, Arn: {Fn::GetAtt: [Watchdog, Arn]}}]
  Permission:
    Type: AWS::Lambda::Permission
    Properties:
      Action: lambda:InvokeFunction
      FunctionName: {Ref: Watchdog}
      Principal: %s
"""

RULE = TemplateRule(
    id="TRN483",
    title="a function that a rule of EventBridge runs lets EventBridge in",
    severity=Severity.ERROR,
    why="The rule is made, its FailedInvocations are all that tells, and the function that should "
    "watch or stop something never runs.",
    source="https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html",
    good=_HEAD % "events.amazonaws.com",
    bad=_HEAD % "s3.amazonaws.com",
    check=_check,
    judges_absence=True,
)
