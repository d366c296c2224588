"""What check subscriptions is asked with."""

from __future__ import annotations

import json

from tests.trnkit.operations.preflight.fake_account import ACCOUNT, Refusal
from tests.trnkit.operations.preflight.situations import Situation
from tests.trnkit.operations.preflight.situations.budgets import made, own_stack, with_budget

TOPIC = f"arn:aws:sns:us-east-2:{ACCOUNT}:cost-alerts"
IMPORTED = with_budget(topic_arn=TOPIC, delivery="topic")


def topic(*statements, key=None):
    """Attributes of a topic whose policy consists of these statements."""
    policy = json.dumps({"Version": "2012-10-17", "Statement": list(statements)})
    return {"Attributes": {"TopicArn": TOPIC, "Policy": policy, "KmsMasterKeyId": key or ""}}


def statement(*services, arn=TOPIC, **more):
    """Lets services publish."""
    return {
        "Effect": "Allow",
        "Principal": {"Service": list(services)},
        "Action": "sns:Publish",
        "Resource": arn,
        "Condition": {"StringEquals": {"aws:SourceAccount": ACCOUNT}},
    } | more


def subscriptions(**arns):
    """Subscriptions by the local part of an address; `confirmed` stands for an ARN."""
    entries = [
        {
            "TopicArn": TOPIC,
            "Protocol": "email",
            "Endpoint": f"{name}@example.com",
            "Owner": ACCOUNT,
            "SubscriptionArn": f"{TOPIC}:0123abcd" if arn == "confirmed" else arn,
        }
        for name, arn in arns.items()
    ]
    return {"Subscriptions": entries}


SITUATION = Situation(
    empty=("fail", "us-east-2 has no topic as budget.topic_arn names it"),
    cluster=IMPORTED,
    whole={"DescribeStacks": own_stack, "ListStackResources": made()},
    well={
        "GetTopicAttributes": topic(
            statement("budgets.amazonaws.com", "costalerts.amazonaws.com", arn="*")
        ),
        "ListSubscriptionsByTopic": subscriptions(a="confirmed"),
    },
    nothing={
        "GetTopicAttributes": Refusal("NotFound", status=404),
        "ListSubscriptionsByTopic": Refusal("NotFound", status=404),
    },
)
