"""TRN494: a topic of EventBridge rules lets EventBridge publish, through its policy and its key."""

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
        sender = f"the rule {rule.logical_id} sends events to it"
        yield from judge_publishing(topic, EVENTS, sender, stack_set)
        yield from judge_encryption(topic, EVENTS, sender)


def _topics(stack_set: StackSet) -> dict[Resource, Resource]:
    """Each topic of the set that a rule targets, with the first rule that does."""
    found: dict[Resource, Resource] = {}
    for rule in stack_set.resources("AWS::Events::Rule"):
        for target in properties_of(rule)["Targets"].entries() or ():
            # A target with a role of its own is called in that role's name.
            topic = target["Arn"].referred(TOPIC) if target["RoleArn"].is_absent else None
            if topic is not None:
                found.setdefault(topic, rule)
    return found


_HEAD = """\
Resources:
  Ends:
    Type: AWS::Events::Rule
    Properties:
      EventPattern: {source: [aws.ec2], detail-type: [Capacity Block Expiration Warning]}
      Targets: [{Id: Alerts, Arn: {Ref: Topic}}]
  Topic:
    Type: AWS::SNS::Topic
  Policy:
    Type: AWS::SNS::TopicPolicy
    Properties:
      Topics: [{Ref: Topic}]
      PolicyDocument:
        Version: "2012-10-17"
        Statement:
          - Effect: Allow
            Action: sns:Publish
            Resource: {Ref: Topic}
            Principal: {Service: %s}
"""

RULE = TemplateRule(
    id="TRN494",
    title="a topic of EventBridge rules lets EventBridge publish",
    severity=Severity.ERROR,
    why="A policy or a key made for AWS Budgets alone shuts EventBridge out: the rule matches, and "
    "nobody hears of it.",
    source="https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html",
    good=_HEAD % "[budgets.amazonaws.com, events.amazonaws.com]",
    bad=_HEAD % "[budgets.amazonaws.com]",
    check=_check,
    judges_absence=True,
)
