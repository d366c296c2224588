"""TRN464: Cost Anomaly Detection may use the key of an encrypted topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.topic_access import judge_encryption
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
        yield from judge_encryption(topic, COST_ALERTS, sender)


_HEAD = """\
Resources:
  Topic: {Type: AWS::SNS::Topic, Properties: {KmsMasterKeyId: %s}}
  Subscription:
    Type: AWS::CE::AnomalySubscription
    Properties:
      SubscriptionName: anomalies
      Frequency: IMMEDIATE
      MonitorArnList: ["arn:aws:ce::111122223333:anomalymonitor/0123abcd"]
      Threshold: 100
      Subscribers: [{Type: SNS, Address: {Ref: Topic}}]
  Key:
    Type: AWS::KMS::Key
    Properties:
      KeyPolicy:
        Statement:
          - Effect: Allow
            Action: ["kms:GenerateDataKey*", "kms:Decrypt"]
            Resource: "*"
            Principal: {Service: costalerts.amazonaws.com}
"""

RULE = TemplateRule(
    id="TRN464",
    title="Cost Anomaly Detection may use the key of an encrypted topic",
    severity=Severity.ERROR,
    why="The policy of the AWS-managed key cannot be changed; alerts to a topic whose key the "
    "service may not use are lost without a word.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/ad-SNS.html",
    good=_HEAD % "{Ref: Key}",
    bad=_HEAD % "alias/aws/sns",
    check=_check,
)
