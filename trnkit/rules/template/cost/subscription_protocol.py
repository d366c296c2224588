"""TRN477: a subscription has a protocol of SNS."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_value
from trnkit.rules.judging.wording import did_you_mean
from trnkit.rules.reading.budget_resources import TOPIC
from trnkit.rules.reading.template_value import TemplateValue, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_PROTOCOLS = (
    *("application", "email", "email-json", "firehose"),
    *("http", "https", "lambda", "sms", "sqs"),
)


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource in stack_set.resources("AWS::SNS::Subscription"):
        yield from _judge(properties_of(resource)["Protocol"])
    for topic in stack_set.resources(TOPIC):
        for subscription in properties_of(topic)["Subscription"].entries() or ():
            yield from _judge(subscription["Protocol"])


def _judge(value: TemplateValue) -> Iterator[Violation]:
    text = value.text()
    if text is None or text in _PROTOCOLS:
        return
    is_spelling = text.lower() in _PROTOCOLS
    close = difflib.get_close_matches(text.lower(), _PROTOCOLS, n=1, cutoff=0.5)
    hint = did_you_mean(close, "take email, https, lambda or sqs")
    wrong = Objection(f"is {text}, which is no protocol of SNS", hint)
    # A protocol of tomorrow is not a mistake.
    yield at_value(value, wrong, None if is_spelling else Severity.WARNING)


_HEAD = """\
Resources:
  Topic: {Type: AWS::SNS::Topic}
  People:
    Type: AWS::SNS::Subscription
    Properties: {TopicArn: {Ref: Topic}, Endpoint: ml-platform@example.com, Protocol: %s}
"""

RULE = TemplateRule(
    id="TRN477",
    title="a subscription has a protocol of SNS",
    severity=Severity.ERROR,
    why="SNS refuses other protocols, and capitals too, when the stack is deployed.",
    source="https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html",
    good=_HEAD % "email",
    bad=_HEAD % "EMAIL",
    check=_check,
)
