"""TRN484: a topic that a rule of EventBridge notifies lets EventBridge in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.topic_access import judge_encryption, judge_publishing
from trnkit.rules.reading.budget_resources import TOPIC
from trnkit.rules.reading.policy_statements import EVENTS
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.rule import Violation
    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for topic, rule in _topics(stack_set).items():
        sender = f"the rule {rule.logical_id} notifies it"
        yield from judge_publishing(topic, EVENTS, sender, stack_set)
        yield from judge_encryption(topic, EVENTS, sender)


def _topics(stack_set: StackSet) -> dict[Resource, Resource]:
    """Each topic of the set that a rule notifies in its own name, with the first that does."""
    found: dict[Resource, Resource] = {}
    for rule in stack_set.resources("AWS::Events::Rule"):
        for target in properties_of(rule)["Targets"].entries() or ():
            topic = target["Arn"].referred(TOPIC)
            if topic is not None and target["RoleArn"].is_absent:
                found.setdefault(topic, rule)
    return found


_HEAD = """\
Resources:
  Topic: {Type: AWS::SNS::Topic}
  Rule:
    Type: AWS::Events::Rule
    Properties:
      EventPattern: {source: [aws.ec2], detail-type: [Capacity Block Reservation Delivered]}
      Targets: [{Id: people, Arn: {Ref: Topic}}]
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
    id="TRN484",
    title="a topic that a rule of EventBridge notifies lets EventBridge publish",
    severity=Severity.ERROR,
    why="A topic of budgets lets AWS Budgets in and nobody else: the events are dropped, and the "
    "rule's FailedInvocations are all that tells.",
    source="https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html",
    good=_HEAD % "[budgets.amazonaws.com, events.amazonaws.com]",
    bad=_HEAD % "budgets.amazonaws.com",
    check=_check,
    judges_absence=True,
)
