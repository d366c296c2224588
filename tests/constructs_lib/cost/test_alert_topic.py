"""A topic of alerts that belongs to no budget."""

from __future__ import annotations

import pytest
from aws_cdk import App, Environment, Stack
from aws_cdk import aws_kms as kms
from aws_cdk.assertions import Match, Template

from constructs_lib.cost import AlertTopic
from trnkit.errors import ConstructError

HOOK = "https://alerts.example.com/spend"


@pytest.fixture
def stack():
    return Stack(App(), "Guard", env=Environment(region="us-east-2"))


def test_it_is_encrypted_with_a_key_of_its_own_and_takes_tls_only(stack):
    AlertTopic(stack, "AlertTopic")
    template = Template.from_stack(stack)
    template.resource_count_is("AWS::KMS::Key", 1)
    (topic,) = template.find_resources("AWS::SNS::Topic").values()
    assert "Fn::GetAtt" in topic["Properties"]["KmsMasterKeyId"]
    assert "TopicName" not in topic["Properties"]
    statement = {"Effect": "Deny", "Condition": {"Bool": {"aws:SecureTransport": "false"}}}
    template.has_resource_properties(
        "AWS::SNS::TopicPolicy",
        {"PolicyDocument": {"Statement": Match.array_with([Match.object_like(statement)])}},
    )


def test_each_endpoint_subscribes_once(stack):
    alerts = AlertTopic(stack, "AlertTopic", endpoints=["a@example.com", HOOK])
    with pytest.raises(ConstructError, match=r"once, got 'a@example\.com' again"):
        alerts.subscribe("a@example.com")
    found = Template.from_stack(stack).find_resources("AWS::SNS::Subscription").values()
    assert sorted((s["Properties"]["Protocol"], s["Properties"]["Endpoint"]) for s in found) == [
        ("email", "a@example.com"),
        ("https", HOOK),
    ]


def test_another_order_of_endpoints_is_the_same_template():
    templates = []
    for endpoints in (["a@example.com", HOOK], [HOOK, "a@example.com"]):
        stack = Stack(App(), "Guard")
        AlertTopic(stack, "AlertTopic", endpoints=endpoints)
        templates.append(Template.from_stack(stack).to_json()["Resources"])
    assert templates[0] == templates[1]


def test_a_name_and_a_key_may_be_given(stack):
    key = kms.Key(stack, "Ours")
    alerts = AlertTopic(stack, "AlertTopic", topic_name="pretrain-guard-alerts", key=key)
    assert alerts.key is key
    template = Template.from_stack(stack)
    template.resource_count_is("AWS::KMS::Key", 1)
    template.has_resource_properties("AWS::SNS::Topic", {"TopicName": "pretrain-guard-alerts"})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"endpoints": "a@example.com"}, "endpoints"),
        ({"endpoints": ["ftp://alerts.example.com"]}, "endpoint must be an e-mail address"),
        ({"topic_name": 7}, "topic_name"),
    ],
)
def test_what_cannot_be_is_refused(stack, arguments, message):
    with pytest.raises(ConstructError, match=message):
        AlertTopic(stack, "AlertTopic", **arguments)
