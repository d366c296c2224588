"""TRN475: a topic of alarms lets CloudWatch publish, through its policy and its key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.topic_access import judge_encryption, judge_publishing
from trnkit.rules.reading.budget_resources import TOPIC
from trnkit.rules.reading.policy_statements import CLOUDWATCH
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.rule import Violation
    from trnkit.rules.stack_set import Resource, StackSet

_ALARMS = ("AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm")
_ACTIONS = ("AlarmActions", "OKActions", "InsufficientDataActions")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for topic, alarm in _topics(stack_set).items():
        sender = f"the alarm {alarm.logical_id} notifies it"
        # Without a policy of its own, a topic lets its account's alarms publish.
        yield from judge_publishing(topic, CLOUDWATCH, sender, stack_set, needs_policy=False)
        yield from judge_encryption(topic, CLOUDWATCH, sender)


def _topics(stack_set: StackSet) -> dict[Resource, Resource]:
    """Each topic of the set that an alarm notifies, with the first alarm that does."""
    found: dict[Resource, Resource] = {}
    for alarm in stack_set.resources(*_ALARMS):
        for key in _ACTIONS:
            for action in properties_of(alarm)[key].entries() or ():
                topic = action.referred(TOPIC)
                if topic is not None:
                    found.setdefault(topic, alarm)
    return found


_HEAD = """\
Resources:
  Alarm:
    Type: AWS::CloudWatch::Alarm
    Properties:
      Namespace: AWS/FSx
      MetricName: FreeDataStorageCapacity
      ComparisonOperator: LessThanThreshold
      Threshold: 1
      EvaluationPeriods: 1
      AlarmActions: [{Ref: Topic}]
  Key:
    Type: AWS::KMS::Key
    DeletionPolicy: Retain
    UpdateReplacePolicy: Retain
    Properties:
      KeyPolicy:
        Statement:
          - Effect: Allow
            Action: "kms:*"
            Resource: "*"
            Principal: {AWS: "arn:aws:iam::111122223333:root"}
          - Effect: Allow
            Action: ["kms:GenerateDataKey*", "kms:Decrypt"]
            Resource: "*"
            Principal: {Service: %s}
  Topic:
    Type: AWS::SNS::Topic
    Properties: {KmsMasterKeyId: {Ref: Key}}
"""

RULE = TemplateRule(
    id="TRN475",
    title="a topic of alarms lets CloudWatch publish",
    severity=Severity.ERROR,
    why="A policy or a key made for AWS Budgets alone shuts CloudWatch out: alarms go off, and "
    "nobody hears of them.",
    source="https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html",
    good=_HEAD % "[budgets.amazonaws.com, cloudwatch.amazonaws.com]",
    bad=_HEAD % "[budgets.amazonaws.com]",
    check=_check,
)
