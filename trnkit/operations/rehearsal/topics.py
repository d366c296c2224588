"""Topics: which service may publish to one, and what comes out of it."""

from __future__ import annotations

import contextlib
import fnmatch
import json
import time
from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trnkit.emulation.resources.resource import Clients

WAIT_SECONDS = 5
_QUEUE = "trnkit-rehearsal-listens"

Hear = Callable[[int], list[dict[str, Any]]]
"""Gives the messages that came, as soon as so many did, or after a few seconds."""


def barred(clients: Clients, topic: str, service: str, source: str | None = None) -> list[str]:
    """Why a service cannot publish to a topic.

    Its policy and that of its key must let it in. Source:
    https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html

    Args:
        clients: Gives boto3 clients of the region.
        topic: The topic's ARN.
        service: Such as ``budgets.amazonaws.com``.
        source: The ARN of what the service publishes for, see `allows`.
    """
    attributes = clients("sns").get_topic_attributes(TopicArn=topic)["Attributes"]
    policy = json.loads(attributes.get("Policy") or "{}")
    reasons: list[str] = []
    if not allows(policy, service, "sns:Publish", topic, source):
        reasons.append(f"the policy of {topic} does not let {service} publish")
    key = attributes.get("KmsMasterKeyId")
    if key:
        document = clients("kms").get_key_policy(KeyId=key, PolicyName="default")["Policy"]
        denied = [
            action
            for action in ("kms:Decrypt", "kms:GenerateDataKey")
            if not allows(json.loads(document), service, action, "*", source)
        ]
        reasons += [f"the key of {topic} does not let {service} {action}" for action in denied]
    return reasons


@contextlib.contextmanager
def listening(clients: Clients, topic: str) -> Generator[Hear]:
    """A queue behind a topic for a while."""
    sns, sqs = clients("sns"), clients("sqs")
    queue = sqs.create_queue(QueueName=_QUEUE)["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])
    subscription = sns.subscribe(
        TopicArn=topic,
        Protocol="sqs",
        Endpoint=arn["Attributes"]["QueueArn"],
        ReturnSubscriptionArn=True,
    )["SubscriptionArn"]

    def hear(number: int) -> list[dict[str, Any]]:
        heard: list[dict[str, Any]] = []
        end = time.monotonic() + WAIT_SECONDS
        while len(heard) < number and time.monotonic() < end:
            told = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10, WaitTimeSeconds=1)
            heard += [json.loads(message["Body"]) for message in told.get("Messages", ())]
        return heard

    try:
        yield hear
    finally:
        sns.unsubscribe(SubscriptionArn=subscription)
        sqs.delete_queue(QueueUrl=queue)


def allows(
    policy: Mapping[str, Any], service: str, action: str, resource: str, source: str | None = None
) -> bool:
    """Whether a statement of a resource's policy lets a service do something.

    Args:
        policy: The policy.
        service: The service's principal.
        action: Such as ``sns:Publish``.
        resource: The ARN, or ``*`` in the policy of a key, which is about that key.
        source: The ARN of what the service acts for, by which conditions about the source are
            judged; None: they are taken to hold, as all others are.
    """
    for statement in policy.get("Statement", ()):
        named = statement.get("Principal", {})
        services = _listed(named.get("Service", ())) if isinstance(named, dict) else []
        resources = _listed(statement.get("Resource", "*"))
        if (
            statement.get("Effect") == "Allow"
            and service in services
            and any(_is_meant(action, str(one)) for one in _listed(statement.get("Action", ())))
            and (resource in resources or "*" in resources)
            and (source is None or _is_for(statement, source))
        ):
            return True
    return False


def _is_for(statement: Mapping[str, Any], source: str) -> bool:
    """Whether its conditions about the source let this one in.

    Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html
    """
    known = {"aws:sourcearn": source, "aws:sourceaccount": source.split(":")[4]}
    for keys in statement.get("Condition", {}).values():
        for key, wanted in keys.items():
            value = known.get(key.lower())
            if value is not None and not any(
                fnmatch.fnmatchcase(value, str(one)) for one in _listed(wanted)
            ):
                return False
    return True


def _is_meant(action: str, pattern: str) -> bool:
    action, pattern = action.lower(), pattern.lower()
    return action == pattern or (pattern.endswith("*") and action.startswith(pattern[:-1]))


def _listed(value: Any) -> list[Any]:
    return [value] if isinstance(value, str) else list(value)
