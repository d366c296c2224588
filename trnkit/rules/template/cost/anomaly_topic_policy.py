"""TRN463: a topic of anomalies lets Cost Anomaly Detection publish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.topic_access import judge_publishing
from trnkit.rules.reading.anomaly_resources import topics_of_anomalies
from trnkit.rules.reading.policy_statements import COST_ALERTS
from trnkit.rules.rule import TemplateRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.rule import Violation
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for topic, subscription in topics_of_anomalies(stack_set).items():
        sender = f"{subscription.resource.logical_id} sends anomalies to it"
        yield from judge_publishing(topic, COST_ALERTS, sender, stack_set)


_HEAD = """\
Resources:
  Topic: {Type: AWS::SNS::Topic}
  Subscription:
    Type: AWS::CE::AnomalySubscription
    Properties:
      SubscriptionName: anomalies
      Frequency: IMMEDIATE
      MonitorArnList: ["arn:aws:ce::111122223333:anomalymonitor/0123abcd"]
      Threshold: 100
      Subscribers: [{Type: SNS, Address: {Ref: Topic}}]
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
    id="TRN463",
    title="a topic of anomalies lets Cost Anomaly Detection publish",
    severity=Severity.ERROR,
    why="Otherwise the subscription is made and its alerts never arrive.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/ad-SNS.html",
    good=_HEAD % "costalerts.amazonaws.com",
    bad=_HEAD % "budgets.amazonaws.com",
    check=_check,
    judges_absence=True,
)
