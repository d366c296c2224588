"""TRN487: a target that has a policy of its own is given no role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_BY_TYPE = {"AWS::SNS::Topic": "topic", "AWS::SQS::Queue": "queue"}
_BY_SERVICE = {"sns": "topic", "sqs": "queue"}
_ARN_PARTS = 6


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for rule in stack_set.resources("AWS::Events::Rule"):
        for target in properties_of(rule)["Targets"].entries() or ():
            kind, role = _kind(target["Arn"]), target["RoleArn"]
            if kind is None or role.is_absent or role.is_unknown:
                continue
            yield Violation(
                message=f"{rule.logical_id}: gives a RoleArn for a {kind}, and EventBridge "
                f"reaches a {kind} through the {kind}'s policy",
                hint=f"remove RoleArn, and allow events.amazonaws.com in the {kind}'s policy",
                resource=rule,
                path=role.path,
            )


def _kind(arn: TemplateValue) -> str | None:
    referred = arn.referred(*_BY_TYPE)
    if referred is not None:
        return _BY_TYPE[referred.type]
    parts = (arn.text() or "").split(":")
    return _BY_SERVICE.get(parts[2]) if len(parts) == _ARN_PARTS else None


_RULE = """\
Resources:
  Topic: {Type: AWS::SNS::Topic}
  Rule:
    Type: AWS::Events::Rule
    Properties:
      ScheduleExpression: rate(1 day)
      Targets: [{Id: people, Arn: {Ref: Topic}%s}]
  Policy:
    Type: AWS::SNS::TopicPolicy
    Properties:
      Topics: [{Ref: Topic}]
      PolicyDocument:
        Statement:
          - Effect: Allow
            Action: sns:Publish
            Resource: {Ref: Topic}
            Principal: {Service: events.amazonaws.com}
"""

RULE = TemplateRule(
    id="TRN487",
    title="a target that has a policy of its own is given no role",
    severity=Severity.WARNING,
    why="With a role, AWS says, delivery to topics and queues may fail, above all where they are "
    "encrypted.",
    source="https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html",
    good=_RULE % "",
    bad=_RULE % ", RoleArn: 'arn:aws:iam::111122223333:role/alerts'",
    check=_check,
)
