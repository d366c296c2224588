"""TRN493: who is in a chat channel may not do everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_CHANNELS = (
    "AWS::Chatbot::SlackChannelConfiguration",
    "AWS::Chatbot::MicrosoftTeamsChannelConfiguration",
)
_EVERYTHING = ":policy/AdministratorAccess"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for channel in stack_set.resources(*_CHANNELS):
        properties = properties_of(channel)
        policies = properties["GuardrailPolicies"]
        entries = policies.entries()
        named = [text for entry in entries or () if (text := entry.text())]
        if policies.is_absent and properties.mapping() is not None:
            said = "has no GuardrailPolicies, and AWS takes AdministratorAccess"
        elif entries and len(named) == len(entries) and all(n.endswith(_EVERYTHING) for n in named):
            said = "has AdministratorAccess as its only guardrail"
        else:
            continue
        yield Violation(
            message=f"{channel.logical_id}: {said}: whoever is in the channel may do what its "
            "roles may",
            hint="write a policy that reads what the channel shows as GuardrailPolicies",
            resource=channel,
            path=properties.path if policies.is_absent else policies.path,
        )


_HEAD = """\
Resources:
  Chat:
    Type: AWS::Chatbot::SlackChannelConfiguration
    Properties:
      ConfigurationName: alerts
      SlackWorkspaceId: T0123ABCD
      SlackChannelId: C0123ABCD
      IamRoleArn: arn:aws:iam::111122223333:role/chat
"""

RULE = TemplateRule(
    id="TRN493",
    title="who is in a chat channel may not do everything",
    severity=Severity.WARNING,
    why="The guardrail bounds what anybody in the channel can have the service do; left out it "
    "bounds nothing.",
    source="https://docs.aws.amazon.com/chatbot/latest/APIReference/API_CreateSlackChannelConfiguration.html",
    good=_HEAD + '      GuardrailPolicies: ["arn:aws:iam::aws:policy/CloudWatchReadOnlyAccess"]\n',
    bad=_HEAD,
    check=_check,
    judges_absence=True,
)
