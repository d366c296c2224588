"""The topic of the alerts: whom it lets in, and who listens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.trnkit.operations.preflight.fake_account import ACCOUNT, DENIED, Refusal
from tests.trnkit.operations.preflight.situations.budgets import made, own_stack, with_budget
from tests.trnkit.operations.preflight.situations.subscriptions import (
    IMPORTED,
    TOPIC,
    statement,
    subscriptions,
    topic,
)
from trnkit.layout.alert_endpoints import subscriber_id

BUDGETS, ALERTS = "budgets.amazonaws.com", "costalerts.amazonaws.com"
ALLOWED = topic(statement(BUDGETS))
IMMEDIATE = {"anomaly_detection": {"threshold_usd": 9.0, "frequency": "IMMEDIATE"}}
DELIVERED = with_budget(delivery="topic", emails=["a@example.com", "B@example.com"])
OWN_TOPIC = ("BudgetAlarmTopic3345E28A", "AWS::SNS::Topic", TOPIC)


def deployed(*emails):
    """A cost stack that has made its topic, and these addresses' subscriptions."""
    asked = [
        (f"BudgetAlarm{subscriber_id(email)}5B9661C6", "AWS::SNS::Subscription", f"{TOPIC}:1")
        for email in emails
    ]
    return {"DescribeStacks": own_stack, "ListStackResources": made(OWN_TOPIC, *asked)}


def told(done):
    return [(result.status.value, result.message) for result in done.results]


def default_policy():
    """What SNS gives a topic that was made without a policy."""
    return statement(
        Principal={"AWS": "*"},
        Action=["SNS:Publish", "SNS:Subscribe"],
        Condition={"StringEquals": {"AWS:SourceOwner": ACCOUNT}},
    )


def of_account(accounts):
    return {"StringEquals": {"AWS:SourceAccount": accounts}}


def of_org(key):
    return {"StringEquals": {key: "o-a"}}


def plain(operator, key, value):
    """What security teams deny to everybody."""
    return statement(Effect="Deny", Principal="*", Condition={operator: {key: value}})


def from_arn(arn):
    return {"ArnLike": {"aws:SourceArn": arn}}


@pytest.mark.parametrize(
    ("statements", "status"),
    [
        ([statement(BUDGETS)], "ok"),
        ([default_policy(), statement(BUDGETS, Condition={})], "ok"),
        ([statement(BUDGETS, Action="SNS:*")], "ok"),
        (
            [
                statement(
                    BUDGETS,
                    Condition={"ArnLike": {"aws:SourceArn": f"arn:aws:budgets::{ACCOUNT}:*"}},
                )
            ],
            "ok",
        ),
        ([default_policy()], "fail"),
        ([], "fail"),
        ([statement("events.amazonaws.com")], "fail"),
        ([statement(BUDGETS, arn=f"{TOPIC}-other")], "fail"),
        ([statement(BUDGETS), statement(BUDGETS, Effect="Deny", Condition=None)], "fail"),
        ([statement(BUDGETS, Condition=of_account("123456789012"))], "fail"),
        ([statement(BUDGETS, Condition=of_account(["123456789012", ACCOUNT]))], "ok"),
        ([statement(BUDGETS, Condition=from_arn("arn:aws:budgets::123456789012:*"))], "fail"),
        ([statement(BUDGETS, Condition=from_arn("arn:aws:budgets::*"))], "ok"),
        ([statement(BUDGETS, Condition=from_arn("*"))], "ok"),
        ([statement(BUDGETS, Action=None, NotAction="sns:Subscribe")], "ok"),
        ([statement(BUDGETS, Action=None, NotAction="sns:Publish")], "fail"),
        ([statement(BUDGETS), plain("Bool", "aws:SecureTransport", "false")], "ok"),
        ([statement(BUDGETS), plain("StringNotEquals", "aws:PrincipalOrgID", "o-a")], "fail"),
        ([statement(BUDGETS), plain("StringNotEquals", "aws:SourceOrgID", "o-a")], "unknown"),
        ([statement(BUDGETS, Condition=of_org("aws:SourceOrgID"))], "unknown"),
        ([statement(BUDGETS, Condition=of_org("aws:PrincipalOrgID"))], "fail"),
        (
            [statement(BUDGETS, Condition=from_arn(f"arn:aws:budgets::{ACCOUNT}:budget/a"))],
            "unknown",
        ),
        ([statement(BUDGETS, Resource=None)], "unknown"),
    ],
    ids=[
        "its own statement",
        "beside the default one",
        "all actions",
        "source ARN",
        "default policy",
        "empty",
        "another service",
        "another topic",
        "denied",
        "of another account",
        "of several accounts",
        "ARN of another account",
        "ARN of all accounts",
        "any ARN",
        "all actions but another",
        "all actions but this one",
        "denied without TLS",
        "denied to whom no organization has",
        "denied from other organizations",
        "from an organization",
        "to principals of an organization",
        "from one budget, maybe the cluster's",
        "no resource",
    ],
)
def test_whom_the_policy_of_a_topic_that_exists_lets_in(statements, status, ask):
    entries = [{k: v for k, v in s.items() if v is not None} for s in statements]
    done = ask("subscriptions", IMPORTED, GetTopicAttributes=topic(*entries))
    assert done.results[0].status == status
    assert "the policy of budget.topic_arn" in done.results[0].message


def test_the_statement_that_decides_is_named(ask):
    statements = statement(BUDGETS), statement(BUDGETS, Effect="Deny", Sid="NoMail", Condition={})
    done = ask("subscriptions", IMPORTED, GetTopicAttributes=topic(*statements))
    assert done.results[0].evidence == "statement NoMail denies it"


def test_anomalies_of_another_account_are_none_of_the_cluster_s(ask):
    cluster = with_budget(topic_arn=TOPIC, **IMMEDIATE)
    theirs = statement(ALERTS, Condition=from_arn("arn:aws:ce::123456789012:*"))
    done = ask("subscriptions", cluster, GetTopicAttributes=topic(statement(BUDGETS), theirs))
    assert done.results[1].status == "fail"


def test_immediate_anomalies_need_another_service_to_be_let_in(ask):
    cluster = with_budget(topic_arn=TOPIC, **IMMEDIATE)
    done = ask("subscriptions", cluster, GetTopicAttributes=ALLOWED)
    assert told(done)[:2] == [
        ("ok", f"the policy of budget.topic_arn lets {BUDGETS} publish"),
        ("fail", f"the policy of budget.topic_arn does not let {ALERTS} publish: alerts are lost"),
    ]


@pytest.mark.parametrize("policy", [None, "", "no json", "[]"])
def test_a_policy_that_cannot_be_read_is_unknown(policy, ask):
    attributes = {"TopicArn": TOPIC} | ({} if policy is None else {"Policy": policy})
    done = ask("subscriptions", IMPORTED, GetTopicAttributes={"Attributes": attributes})
    assert done.results[0].status == "unknown"
    assert "leaves open" in done.results[0].message


@pytest.mark.parametrize("key", ["alias/aws/sns", f"arn:aws:kms:us-east-2:{ACCOUNT}:alias/aws/sns"])
def test_the_key_of_sns_itself_is_no_key_for_alerts(key, ask):
    told_topic = topic(statement(BUDGETS), key=key)
    done = ask("subscriptions", IMPORTED, GetTopicAttributes=told_topic)
    assert done.status == "fail"
    assert "alias/aws/sns, a key that budgets.amazonaws.com may not use" in done.results[1].message


def test_another_key_is_said_not_to_be_looked_at(ask):
    told_topic = topic(statement(BUDGETS), key="1234abcd-12ab-34cd-56ef-1234567890ab")
    done = ask("subscriptions", IMPORTED, GetTopicAttributes=told_topic)
    assert done.status == "ok"
    assert "the policy of its key is not looked at" in done.results[0].evidence


def test_a_topic_of_another_account_than_the_credentials(ask):
    identity = {"Account": "123456789012", "Arn": "arn:aws:iam::123456789012:user/x", "UserId": "x"}
    done = ask("subscriptions", IMPORTED, GetCallerIdentity=identity)
    assert done.results[0].status == "fail"
    assert "another account than the credentials" in done.results[0].message
    # Whoever would subscribe to it is not asked about then.
    assert "ListSubscriptionsByTopic" not in {name for _, name, _ in ask.sessions[0].asked}
    assert "123456789012" not in str(done.results)


def test_the_region_of_the_topic_is_asked_and_not_the_cluster_s(ask):
    cluster = with_budget(topic_arn=TOPIC.replace("us-east-2", "eu-west-1"), delivery="topic")
    ask("subscriptions", cluster)
    regions = {region for service, _, region in ask.sessions[0].asked if service == "sns"}
    assert regions == {"eu-west-1"}


@pytest.mark.parametrize(
    ("subscribed", "stack", "status", "words"),
    [
        ({"a": "confirmed"}, ["a@example.com"], "ok", "a@example.com hears"),
        ({"a": "PendingConfirmation"}, ["a@example.com"], "warning", "has not confirmed"),
        ({"a": "Deleted"}, [], "warning", "is no longer"),
        ({}, ["a@example.com"], "warning", "is no longer: it was not confirmed within 48 hours"),
        ({}, [], "ok", "is subscribed by the deployment, and its owner must confirm then"),
        ({"z": "confirmed"}, [], "ok", "is subscribed by the deployment"),
    ],
)
def test_who_subscribes_to_the_cluster_s_own_topic(subscribed, stack, status, words, ask):
    done = ask(
        "subscriptions",
        with_budget(delivery="topic"),
        **deployed(*stack),
        ListSubscriptionsByTopic=subscriptions(**subscribed),
    )
    assert [s for s, _ in told(done)] == [status]
    assert words in done.results[0].message
    assert done.results[0].path == ("budget", "emails")


def test_case_does_not_tell_addresses_apart_and_a_confirmed_one_outweighs_a_pending_one(ask):
    pending = subscriptions(a="PendingConfirmation", b="confirmed")["Subscriptions"]
    confirmed = subscriptions(A="confirmed")["Subscriptions"]
    done = ask(
        "subscriptions",
        DELIVERED,
        **deployed("a@example.com", "B@example.com"),
        ListSubscriptionsByTopic={"Subscriptions": pending + confirmed},
    )
    assert [s for s, _ in told(done)] == ["ok", "ok"]


def test_to_subscribe_again_the_command_asks_for_the_arn_and_does_not_repeat_it(ask):
    done = ask(
        "subscriptions",
        with_budget(delivery="topic"),
        **deployed("a@example.com"),
        ListSubscriptionsByTopic=subscriptions(),
    )
    command = done.results[0].command
    assert command.startswith("aws sns subscribe --region us-east-2 --protocol email ")
    assert "--stack-name pretrain-Cost" in command
    assert ACCOUNT not in str(done.results)


def test_addresses_that_only_aws_told_are_not_repeated(ask):
    done = ask(
        "subscriptions",
        IMPORTED,
        GetTopicAttributes=ALLOWED,
        ListSubscriptionsByTopic=subscriptions(a="confirmed", secret="PendingConfirmation"),
    )
    assert "secret" not in str(done.results)


@pytest.mark.parametrize(
    ("endpoint", "must"),
    [
        ("https://alerts.example.com/budget", True),
        (f"arn:aws:sqs:us-east-2:{ACCOUNT}:alerts", False),
        (f"arn:aws:lambda:us-east-2:{ACCOUNT}:function:alert", False),
    ],
)
def test_web_hooks_confirm_and_queues_and_functions_of_the_account_need_not(endpoint, must, ask):
    cluster = with_budget(topic_subscribers=[endpoint])
    (result,) = ask("subscriptions", cluster, **deployed()).results
    assert ("must confirm then" in result.message) is must
    assert result.path == ("budget", "topic_subscribers", 0)


def test_before_the_first_deployment_there_is_nobody_to_confirm(ask):
    done = ask("subscriptions", DELIVERED)
    assert told(done) == [
        ("ok", "the deployment makes the alert topic; 2 of its subscribers must confirm then")
    ]


def test_a_topic_of_the_stack_that_somebody_deleted(ask):
    gone = Refusal("NotFound", status=404)
    done = ask(
        "subscriptions",
        DELIVERED,
        **deployed(),
        GetTopicAttributes=gone,
        ListSubscriptionsByTopic=gone,
    )
    assert [s for s, _ in told(done)] == ["warning"]
    assert "it is gone" in done.results[0].message


@pytest.mark.parametrize(
    ("subscribed", "status"),
    [({"z": "confirmed"}, "ok"), ({"z": "PendingConfirmation"}, "warning")],
)
def test_a_topic_to_which_the_file_subscribes_nobody(subscribed, status, ask):
    cluster = with_budget(topic_arn=TOPIC)
    done = ask("subscriptions", cluster, ListSubscriptionsByTopic=subscriptions(**subscribed))
    assert told(done)[-1][0] == status


def test_whom_a_topic_lets_in_is_told_though_who_listens_is_not(ask):
    done = ask("subscriptions", IMPORTED, ListSubscriptionsByTopic=DENIED)
    assert [s for s, _ in told(done)] == ["ok", "unknown"]


def test_every_page_of_subscriptions_is_read(ask):
    def page(asked, region):
        if "NextToken" not in asked:
            return subscriptions(z="confirmed") | {"NextToken": "more"}
        return subscriptions(a="confirmed")

    done = ask(
        "subscriptions",
        with_budget(delivery="topic"),
        **deployed(),
        **{
            "ListSubscriptionsByTopic": page,
        },
    )
    assert told(done) == [("ok", "a@example.com hears what the alert topic says")]


def with_image_topic(arn):
    whole = with_budget().model_dump(exclude_unset=True)
    whole["compute"]["image_pipeline"] = {"topic_arn": arn}
    return type(with_budget()).model_validate(whole)


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (ALLOWED, "ok", "eu-west-1 has the topic"),
        (topic(), "ok", "eu-west-1 has the topic"),
        (Refusal("NotFound", status=404), "warning", "nobody is told of a build"),
        (DENIED, "unknown", "is not allowed"),
    ],
)
def test_the_topic_of_image_builds_has_to_exist(answer, status, words, ask):
    cluster = with_image_topic(TOPIC.replace("us-east-2", "eu-west-1"))
    done = ask("subscriptions", cluster, GetTopicAttributes=answer)
    assert [s for s, _ in told(done)] == [status]
    assert words in done.results[0].message
    assert done.results[0].path == ("compute", "image_pipeline", "topic_arn")
    assert [region for _, _, region in ask.sessions[0].asked] == ["eu-west-1"]


def test_a_denied_alert_topic_leaves_that_of_image_builds(ask):
    whole = with_image_topic(TOPIC).model_dump(exclude_unset=True)
    whole["budget"]["delivery"] = "topic"
    cluster = type(with_budget()).model_validate(whole)
    done = ask("subscriptions", cluster, DescribeStacks=DENIED)
    assert [s for s, _ in told(done)] == ["unknown", "ok"]


def test_the_templates_have_the_ids_and_the_output_that_are_looked_for():
    template = json.loads(Path("tests/golden/templates/several-budgets/Cost.json").read_text())
    found = {
        properties["Properties"]["Endpoint"]: logical_id
        for logical_id, properties in template["Resources"].items()
        if properties["Type"] == "AWS::SNS::Subscription"
    }
    assert len(found) == 3
    for endpoint, logical_id in found.items():
        assert subscriber_id(endpoint) in logical_id
    assert "AlertTopicArn" in template["Outputs"]
