"""TRN425: alerts in a chat have a channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    chat = cluster.budget.chat
    if chat is None or chat.slack is not None or chat.teams is not None:
        return
    yield Violation(
        message="budget.chat has neither slack nor teams",
        hint="write the channel that shows alerts, or remove the section",
        path=("budget", "chat"),
    )


RULE = ConfigRule(
    id="TRN425",
    title="alerts in a chat have a channel",
    severity=Severity.ERROR,
    why="Amazon Q Developer in chat applications shows alerts in the channel of a configuration; "
    "without one there is nothing to make.",
    source="https://docs.aws.amazon.com/chatbot/latest/adminguide/slack-setup.html",
    good="budget: {chat: {slack: {workspace_id: T0123ABCD, channel_id: C0123ABCD}}}\n",
    bad="budget: {chat: {slack: null}}\n",
    check=_check,
)
