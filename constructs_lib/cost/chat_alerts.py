"""Alerts in a chat channel, through Amazon Q Developer in chat applications (AWS Chatbot)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from aws_cdk import Stack
from aws_cdk import aws_chatbot as chatbot
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from constructs import Construct

from constructs_lib.arguments import entries, instance, resource, text
from trnkit.catalog import resource_type_available
from trnkit.config.spend_values import (
    SlackChannelId,
    SlackWorkspaceId,
    TeamsChannelId,
    Uuid,
)
from trnkit.errors import ConstructError

_SLACK = "AWS::Chatbot::SlackChannelConfiguration"
_TEAMS = "AWS::Chatbot::MicrosoftTeamsChannelConfiguration"
_LONGEST_NAME = 128
_READS = (
    "cloudwatch:DescribeAlarms",
    "cloudwatch:GetMetricData",
    "cloudwatch:GetMetricStatistics",
    "cloudwatch:GetMetricWidgetImage",
    "cloudwatch:ListMetrics",
)
"""Of what AWS calls notification permissions, what reads; none can be limited to a resource."""


@dataclass(frozen=True, slots=True)
class SlackChannel:
    """A channel of a Slack workspace.

    Attributes:
        workspace_id: The workspace, as the console shows it once it is let in: `T0123ABCD`.
        channel_id: The channel, from its link: `C0123ABCD`.

    Raises:
        ConstructError: A value of another kind.
    """

    workspace_id: str
    channel_id: str

    def __post_init__(self) -> None:
        text("workspace_id", self.workspace_id, SlackWorkspaceId)
        text("channel_id", self.channel_id, SlackChannelId)


@dataclass(frozen=True, slots=True)
class TeamsChannel:
    """A channel of a team of Microsoft Teams.

    Attributes:
        tenant_id: The tenant, a UUID.
        team_id: The team, a UUID.
        channel_id: The channel, decoded: `19:` first, `@thread.tacv2` last.

    Raises:
        ConstructError: A value of another kind.
    """

    tenant_id: str
    team_id: str
    channel_id: str

    def __post_init__(self) -> None:
        text("tenant_id", self.tenant_id, Uuid)
        text("team_id", self.team_id, Uuid)
        text("channel_id", self.channel_id, TeamsChannelId)


class ChatAlerts(Construct):
    """Shows in a chat channel what topics say, and lets nobody change anything from there.

    Creates `AWS::IAM::Role`, `AWS::IAM::ManagedPolicy` and, for each channel,
    `AWS::Chatbot::SlackChannelConfiguration` or
    `AWS::Chatbot::MicrosoftTeamsChannelConfiguration`. The role has one policy, which reads alarms
    and metrics, for the pictures of alarms, and the same policy is the channel's guardrail: left
    out, the guardrail would be AdministratorAccess.

    The workspace or team must have been let in once, by somebody in the console of Amazon Q
    Developer in chat applications: CloudFormation cannot do that, and the deployment fails without
    it. A topic may be encrypted: SNS delivers, and the channel needs no use of the key. Shown are
    events and notifications of AWS's services and messages in the custom notification format;
    other text is dropped without a word.

    Sources:
        https://docs.aws.amazon.com/chatbot/latest/adminguide/slack-setup.html
        https://docs.aws.amazon.com/chatbot/latest/adminguide/understanding-permissions.html
        https://docs.aws.amazon.com/chatbot/latest/APIReference/API_CreateSlackChannelConfiguration.html
        https://docs.aws.amazon.com/chatbot/latest/adminguide/custom-notifs.html

    Example:
        >>> from aws_cdk import App, Environment, Stack
        >>> from aws_cdk import aws_sns as sns
        >>> from constructs_lib.cost import ChatAlerts, SlackChannel
        >>> stack = Stack(App(), "Cost", env=Environment(region="us-east-1"))
        >>> chat = ChatAlerts(
        ...     stack, "ChatAlerts", name="pretrain", topics=[sns.Topic(stack, "Alerts")],
        ...     slack=SlackChannel(workspace_id="T0123ABCD", channel_id="C0123ABCD"))
    """

    role: iam.IRole
    """What the channels have: it reads alarms and metrics."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        name: str,
        topics: Sequence[sns.ITopic],
        slack: SlackChannel | None = None,
        teams: TeamsChannel | None = None,
    ) -> None:
        """Create the configuration of each channel.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            name: Begins the names of the configurations, which must differ in the account: the
                cluster's name.
            topics: What they show; topics of any Region of the account.
            slack: A Slack channel.
            teams: A Teams channel. At least one of the two.

        Raises:
            ConstructError: No channel, no topic, a Region without the resource type, or a value of
                another kind.
        """
        super().__init__(scope, construct_id)
        text("name", name)
        entries("topics", topics)
        for topic in topics:
            resource("each of topics", topic)
        instance("slack", slack, SlackChannel, optional=True)
        instance("teams", teams, TeamsChannel, optional=True)
        if slack is None and teams is None:
            raise ConstructError("give slack, teams or both")
        if not topics:
            raise ConstructError("topics must name at least one topic")
        for kind, channel in ((_SLACK, slack), (_TEAMS, teams)):
            if channel is not None:
                _check_region(kind, Stack.of(self).region)
        reads = iam.ManagedPolicy(
            self,
            "ReadPolicy",
            description="Reads alarms and metrics that are shown in a chat channel",
            statements=[iam.PolicyStatement(actions=list(_READS), resources=["*"])],
        )
        role = iam.Role(
            self,
            "Role",
            assumed_by=cast("iam.IPrincipal", iam.ServicePrincipal("chatbot.amazonaws.com")),
            description="What a chat channel shows alerts with",
            managed_policies=[reads],
        )
        self.role = cast("iam.IRole", role)
        shared: dict[str, Any] = {
            "iam_role_arn": self.role.role_arn,
            "guardrail_policies": [reads.managed_policy_arn],
            "logging_level": "ERROR",
            "sns_topic_arns": [topic.topic_arn for topic in topics],
            "user_role_required": False,
        }
        if slack is not None:
            self._slack(name, slack, shared)
        if teams is not None:
            self._teams(name, teams, shared)

    # What replaces a configuration changes its name: both exist for a moment.

    def _slack(self, name: str, channel: SlackChannel, shared: dict[str, Any]) -> None:
        chatbot.CfnSlackChannelConfiguration(
            self,
            "Slack",
            configuration_name=_name(name, channel.workspace_id),
            slack_workspace_id=channel.workspace_id,
            slack_channel_id=channel.channel_id,
            **shared,
        )

    def _teams(self, name: str, channel: TeamsChannel, shared: dict[str, Any]) -> None:
        chatbot.CfnMicrosoftTeamsChannelConfiguration(
            self,
            "Teams",
            configuration_name=_name(name, f"{channel.team_id}-{channel.tenant_id}"),
            teams_tenant_id=channel.tenant_id,
            team_id=channel.team_id,
            teams_channel_id=channel.channel_id.replace(":", "%3a").replace("@", "%40"),
            **shared,
        )


def _name(beginning: str, channel: str) -> str:
    allowed = re.sub("[^A-Za-z0-9-_]", "-", beginning)
    return f"{allowed[: _LONGEST_NAME - len(channel) - 1]}-{channel}"


def _check_region(kind: str, region: str) -> None:
    if resource_type_available(kind, region) is False:
        raise ConstructError(f"{region} has no {kind}")
