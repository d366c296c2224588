"""TRN464: Cost Anomaly Detection may use the key of an encrypted topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.anomaly_resources import topics_of_anomalies
from trnkit.rules.reading.budget_resources import key_allows, key_of_topic
from trnkit.rules.reading.policy_statements import COST_ALERTS
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for topic, subscription in topics_of_anomalies(stack_set).items():
        value, name = properties_of(topic)["KmsMasterKeyId"], subscription.resource.logical_id
        key = key_of_topic(topic)
        managed = (value.tail() or "").endswith("alias/aws/sns")
        if managed or (key and key_allows(key, COST_ALERTS) is False):
            which = "alias/aws/sns" if managed or key is None else key.logical_id
            yield Violation(
                message=f"{topic.logical_id}: is encrypted with {which}, which {COST_ALERTS} may "
                f"not use, but {name} sends anomalies to it",
                hint="take a key of your own that allows kms:GenerateDataKey* and kms:Decrypt to "
                "the service",
                resource=topic,
                path=value.path,
            )


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
