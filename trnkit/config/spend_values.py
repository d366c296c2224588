"""The kinds of value that only watching and stopping of spending needs: roles and chat channels."""

from __future__ import annotations

from typing import Annotated

from trnkit.config.values import Text, matching

RoleName = Annotated[
    Text,
    matching(
        r"(?!AWSServiceRole)[A-Za-z0-9+=,.@_-]{1,64}",
        "the name of an IAM role, without its path, and of no service-linked one",
    ),
]
Uuid = Annotated[
    Text,
    matching(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", "a UUID"),
]
SlackWorkspaceId = Annotated[
    Text, matching(r"[0-9A-Z]{1,255}", "the id of a Slack workspace like T0123ABCD")
]
SlackChannelId = Annotated[
    Text, matching(r"[A-Za-z0-9]{1,255}", "the id of a Slack channel like C0123ABCD")
]
TeamsChannelId = Annotated[
    Text,
    matching(
        r"19:[A-Za-z0-9_-]{1,200}@thread\.(tacv2|skype)",
        "the id of a Teams channel, decoded: 19:, digits and letters, then @thread.tacv2",
    ),
]
