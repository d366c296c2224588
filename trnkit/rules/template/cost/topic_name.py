"""TRN476: a topic has a name that SNS takes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.budget_resources import TOPIC
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_SUFFIX = ".fifo"
_SIGNS = re.compile("[A-Za-z0-9_-]{1,256}")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for topic in stack_set.resources(TOPIC):
        properties = properties_of(topic)
        name, fifo = properties["TopicName"], properties["FifoTopic"]
        text = name.text()
        if text is None or fifo.is_unknown:
            continue
        if fifo.boolean() is True and not text.endswith(_SUFFIX):
            wrong = f"is {text}; the name of a first-in-first-out topic ends with {_SUFFIX}"
            yield at_value(name, Objection(wrong, f"write {text}{_SUFFIX}"))
        elif fifo.boolean() is not True and text.endswith(_SUFFIX):
            wrong = f"is {text}, a name for first-in-first-out topics, and FifoTopic is not true"
            yield at_value(name, Objection(wrong, f"write {text.removesuffix(_SUFFIX)}"))
        elif _SIGNS.fullmatch(text.removesuffix(_SUFFIX)) is None:
            wrong = f"is {text}; a topic's name has letters, digits, hyphens and underscores only"
            nearest = re.sub("[^A-Za-z0-9_-]", "-", text)
            yield at_value(name, Objection(wrong, f"write {nearest}"))


_TOPIC = """\
Resources:
  Topic:
    Type: AWS::SNS::Topic
    Properties: {TopicName: %s}
"""

RULE = TemplateRule(
    id="TRN476",
    title="a topic has a name that SNS takes",
    severity=Severity.ERROR,
    why="SNS refuses the topic when the stack is deployed; the registry's schema takes any name.",
    source="https://docs.aws.amazon.com/sns/latest/api/API_CreateTopic.html",
    good=_TOPIC % "ml-alerts",
    bad=_TOPIC % "ml.alerts",
    check=_check,
)
