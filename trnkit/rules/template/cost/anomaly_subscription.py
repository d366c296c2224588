"""TRN462: an anomaly subscription has a threshold and fitting recipients."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.catalog import anomaly_limits
from trnkit.findings import Severity
from trnkit.rules.reading.anomaly_resources import (
    AnomalySubscription,
    anomaly_subscriptions,
    json_in,
)
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in anomaly_subscriptions(stack_set):
        name = found.resource.logical_id
        for value, text, hint in (*_threshold(found), *_recipients(found)):
            yield Violation(
                message=f"{name}: {text}", hint=hint, resource=found.resource, path=value.path
            )


def _threshold(found: AnomalySubscription) -> Iterator[tuple[TemplateValue, str, str]]:
    plain, expression = found.properties["Threshold"], found.properties["ThresholdExpression"]
    if plain.is_absent and expression.is_absent:
        yield expression, "has no threshold", "add ThresholdExpression"
    if plain.number() is not None and expression.text() is not None:
        text = "has both Threshold and ThresholdExpression, which exclude each other"
        yield plain, text, "keep ThresholdExpression"
    try:
        json_in(expression)
    except ValueError:
        yield expression, "has a threshold that is no JSON", "write an Expression as JSON text"


def _recipients(found: AnomalySubscription) -> Iterator[tuple[TemplateValue, str, str]]:
    to_topic, listed = found.goes_to_topic, found.properties["Subscribers"]
    if to_topic is None or found.subscribers is None:
        return
    frequency = found.properties["Frequency"].text()
    right = "SNS" if to_topic else "EMAIL"
    if not found.subscribers:
        yield listed, "has no subscribers, so nobody hears of it", "add Subscribers"
    for subscriber in found.subscribers:
        kind, address = subscriber["Type"], subscriber["Address"]
        if kind.text() is not None and kind.text() != right:
            text = (
                f"is {frequency}, which goes to {right} subscribers, and has one of {kind.text()}"
            )
            yield kind, text, "take SNS with IMMEDIATE, and EMAIL with DAILY or WEEKLY"
        elif kind.text() == "EMAIL" and not _is_taken(address.text()):
            text = f"writes to {address.text()}, an address that is not taken"
            yield address, text, "take an address of plain letters and digits"


def _is_taken(address: str | None) -> bool:
    """Whether an address is such as the service takes, or not known."""
    return address is None or re.fullmatch(anomaly_limits().email_pattern, address) is not None


_SUBSCRIPTION = """\
Resources:
  Subscription:
    Type: AWS::CE::AnomalySubscription
    Properties:
      SubscriptionName: anomalies
      Frequency: %s
      MonitorArnList: ["arn:aws:ce::111122223333:anomalymonitor/0123abcd"]
      Threshold: 100
      Subscribers: [{Type: EMAIL, Address: ml-platform@example.com}]
"""

RULE = TemplateRule(
    id="TRN462",
    title="an anomaly subscription has a threshold and fitting recipients",
    severity=Severity.ERROR,
    why="Cost Explorer refuses a subscription without a threshold, immediate alerts to addresses, "
    "and summaries to topics.",
    source="https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_AnomalySubscription.html",
    good=_SUBSCRIPTION % "DAILY",
    bad=_SUBSCRIPTION % "IMMEDIATE",
    check=_check,
)
