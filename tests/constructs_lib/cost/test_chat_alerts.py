"""ChatAlerts: alerts in a channel, from which nobody can do anything."""

from __future__ import annotations

import json
import re

import botocore.session
import pytest
from aws_cdk import App, Environment, Stack
from aws_cdk import aws_sns as sns

from constructs_lib.cost import BudgetAlarm, ChatAlerts, SlackChannel, TeamsChannel
from tests.synthesis import cdk_context
from trnkit.errors import ConstructError

SLACK = SlackChannel("T0123ABCD", "C0123ABCD")
TENANT, TEAM = (
    "01234567-89ab-4000-8000-0123456789ab",
    "11234567-89ab-4000-8000-0123456789ab",
)
TEAMS = TeamsChannel(TENANT, TEAM, "19:abc_-123" + "@thread.tacv2")
READS = {"DescribeAlarms", "GetMetricData", "GetMetricStatistics", "GetMetricWidgetImage"}


@pytest.fixture
def make(stack):
    def chat(**options):
        options = {"name": "pretrain", "topics": [sns.Topic(stack, "Alerts")]} | options
        return ChatAlerts(stack, "Chat", **options)

    return chat


def only(resources, kind):
    (made,) = resources(kind).values()
    return made["Properties"]


def test_a_slack_channel_shows_the_topic(make, resources):
    make(slack=SLACK)
    made = only(resources, "AWS::Chatbot::SlackChannelConfiguration")
    ((topic, _),) = resources("AWS::SNS::Topic").items()
    assert made["SnsTopicArns"] == [{"Ref": topic}]
    assert (made["SlackWorkspaceId"], made["SlackChannelId"]) == ("T0123ABCD", "C0123ABCD")
    assert made["LoggingLevel"] == "ERROR"
    assert not resources("AWS::Chatbot::MicrosoftTeamsChannelConfiguration")


def test_a_teams_channel_is_written_as_in_its_link(make, resources):
    make(teams=TEAMS)
    made = only(resources, "AWS::Chatbot::MicrosoftTeamsChannelConfiguration")
    assert made["TeamsChannelId"] == "19%3aabc_-123%40thread.tacv2"
    assert (made["TeamsTenantId"], made["TeamId"]) == (TENANT, TEAM)


def test_whoever_is_in_the_channel_reads_alarms_and_does_nothing(make, resources):
    """A guardrail that is left out is AdministratorAccess."""
    make(slack=SLACK, teams=TEAMS)
    ((policy, document),) = resources("AWS::IAM::ManagedPolicy").items()
    (statement,) = document["Properties"]["PolicyDocument"]["Statement"]
    assert set(statement["Action"]) == {f"cloudwatch:{name}" for name in READS | {"ListMetrics"}}
    role = only(resources, "AWS::IAM::Role")
    assert role["ManagedPolicyArns"] == [{"Ref": policy}]
    assert "Policies" not in role
    assert not resources("AWS::IAM::Policy")
    for kind in ("SlackChannelConfiguration", "MicrosoftTeamsChannelConfiguration"):
        made = only(resources, f"AWS::Chatbot::{kind}")
        assert made["GuardrailPolicies"] == [{"Ref": policy}]


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        (SLACK, SlackChannel("T9999ABCD", "C0123ABCD"), "SlackChannelConfiguration"),
        (
            TEAMS,
            TeamsChannel(TENANT, TENANT, TEAMS.channel_id),
            "MicrosoftTeamsChannelConfiguration",
        ),
    ],
)
def test_what_replaces_a_configuration_changes_its_name(first, second, kind):
    """Both exist for a moment, and AWS takes a name once."""
    names = []
    for channel in (first, second):
        stack = Stack(App(context=cdk_context()), "T", env=Environment(region="us-east-1"))
        slack = channel if isinstance(channel, SlackChannel) else None
        teams = channel if isinstance(channel, TeamsChannel) else None
        topic = sns.Topic(stack, "Alerts")
        ChatAlerts(stack, "C", name="c" * 200, topics=[topic], slack=slack, teams=teams)
        (made,) = [
            r for r in stack.node.find_all() if getattr(r, "cfn_resource_type", "").endswith(kind)
        ]
        names.append(made.configuration_name)
    assert len(set(names)) == 2
    assert all(len(name) <= 128 for name in names)


def test_several_budgets_have_one_topic_and_one_channel(stack, resources):
    first = BudgetAlarm(stack, "First", limit_usd=1, emails=["ml-platform@example.com"])
    BudgetAlarm(stack, "Second", limit_usd=2, topic=first.topic, key=first.key)
    ChatAlerts(stack, "Chat", name="pretrain", topics=[first.topic], slack=SLACK)
    assert len(resources("AWS::Budgets::Budget")) == 2
    assert len(resources("AWS::SNS::Topic")) == 1
    # SNS delivers: nobody but the publisher needs the key.
    assert "chatbot" not in json.dumps(resources("AWS::KMS::Key"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "give slack, teams or both"),
        ({"slack": SLACK, "topics": []}, "topics must name at least one topic"),
        ({"slack": "C0123ABCD"}, "slack must be a SlackChannel"),
        ({"teams": SLACK}, "teams must be a TeamsChannel"),
        ({"slack": SLACK, "name": ""}, "name"),
    ],
)
def test_what_cannot_be_is_refused(make, options, words):
    with pytest.raises(ConstructError, match=words):
        make(**options)


@pytest.mark.parametrize(
    ("kind", "values", "words"),
    [
        (SlackChannel, ("t0123", "C0123ABCD"), "workspace_id"),
        (SlackChannel, ("T0123ABCD", "#alerts"), "channel_id"),
        (TeamsChannel, ("tenant", TEAM, TEAMS.channel_id), "tenant_id"),
        (TeamsChannel, (TENANT, TEAM, "19%3aabc%40thread.tacv2"), "channel_id"),
    ],
)
def test_ids_of_another_shape_are_refused(kind, values, words):
    with pytest.raises(ConstructError, match=words):
        kind(*values)


def test_ids_are_those_that_the_api_takes():
    """Microsoft's older tenants have ids that are no UUID of a version."""
    odd = "01234567-89ab-cdef-0123-456789abcdef"
    assert TeamsChannel(odd, odd, TEAMS.channel_id).tenant_id == odd
    api = botocore.session.get_session().get_service_model("chatbot")
    members = api.operation_model("CreateMicrosoftTeamsChannelConfiguration").input_shape.members
    for name in ("TenantId", "TeamId"):
        assert re.fullmatch(members[name].metadata["pattern"], odd)
