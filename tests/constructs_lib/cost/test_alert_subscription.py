"""AlertSubscription: endpoints of the right shape, and nothing else."""

from __future__ import annotations

import pytest
from aws_cdk import Token
from aws_cdk import aws_sns as sns

from constructs_lib.cost import AlertSubscription
from trnkit.errors import ConstructError

HOOK = "https://alerts.example.com/budget"


@pytest.mark.parametrize(
    ("endpoint", "protocol"),
    [
        ("ml-platform@example.com", "email"),
        ("a/b+c@mail.example.com", "email"),
        (HOOK, "https"),
        ("https://user:secret@alerts.example.com:8443/?a=b", "https"),
        ("arn:aws:lambda:us-east-2:111122223333:function:pager", "lambda"),
        ("arn:aws:lambda:us-east-2:111122223333:function:pager:live", "lambda"),
        ("arn:aws:sqs:us-east-2:111122223333:alerts", "sqs"),
        ("arn:aws-cn:sqs:cn-north-1:111122223333:alerts", "sqs"),
    ],
)
def test_bud_07_the_protocol_follows_from_the_endpoint(stack, resources, endpoint, protocol):
    found = AlertSubscription(stack, "S", topic=sns.Topic(stack, "T"), endpoint=endpoint)
    assert found.protocol == protocol
    (created,) = resources("AWS::SNS::Subscription").values()
    assert created["Properties"]["Protocol"] == protocol
    assert created["Properties"]["Endpoint"] == endpoint
    assert "Region" not in created["Properties"]


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "ml-platform",
        "http://alerts.example.com",
        "arn:aws:sqs:us-east-2:111122223333:alerts.fifo",
        "arn:aws:sns:us-east-2:111122223333:alerts",
        "arn:aws:lambda:us-east-2:111122223333:pager",
        pytest.param(Token.as_string({"Ref": "Queue"}), id="a token"),
    ],
)
def test_other_shapes_are_refused_before_anything_is_made(stack, endpoint):
    topic = sns.Topic(stack, "T")
    with pytest.raises(ConstructError, match="endpoint must be"):
        AlertSubscription(stack, "S", topic=topic, endpoint=endpoint)
    assert not stack.node.find_child("S").node.children


def test_a_topic_of_another_region_is_named_with_it(stack, resources):
    topic = sns.Topic.from_topic_arn(stack, "T", "arn:aws:sns:eu-west-1:111122223333:alerts")
    AlertSubscription(stack, "S", topic=topic, endpoint=HOOK)
    (created,) = resources("AWS::SNS::Subscription").values()
    assert created["Properties"]["Region"] == "eu-west-1"
