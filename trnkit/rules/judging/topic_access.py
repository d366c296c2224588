"""Whether a service of AWS reaches the subscribers of a topic: by its policy, and by its key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.reading.budget_resources import key_allows, key_of_topic, policy_verdicts
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet


def judge_publishing(
    topic: Resource, service: str, sender: str, stack_set: StackSet, *, needs_policy: bool = True
) -> Iterator[Violation]:
    """Judge whether a topic's policies let a service publish.

    Args:
        topic: The topic.
        service: The service's principal.
        sender: Who sends to it, in words: `the budget B notifies it`.
        stack_set: Where its policies are.
        needs_policy: Whether the service may not publish where there is no policy at all.
    """
    verdicts = list(policy_verdicts(topic, service, stack_set))
    if any(verdict is not False for verdict in verdicts) or not (verdicts or needs_policy):
        return
    has = "has a policy that does not let" if verdicts else "has no policy that lets"
    yield Violation(
        message=f"{topic.logical_id}: {has} {service} publish, but {sender}",
        hint=f"allow sns:Publish to the service {service} in AWS::SNS::TopicPolicy",
        resource=topic,
    )


def judge_encryption(topic: Resource, service: str, sender: str) -> Iterator[Violation]:
    """Judge whether a service may use the key of a topic.

    Args:
        topic: The topic.
        service: The service's principal.
        sender: Who sends to it, in words.
    """
    value, key = properties_of(topic)["KmsMasterKeyId"], key_of_topic(topic)
    if (value.tail() or "").endswith("alias/aws/sns"):
        text = f"alias/aws/sns, a key that {service} may not use"
    elif key is not None and key_allows(key, service) is False:
        text = f"{key.logical_id}, whose policy does not let {service} use it"
    else:
        return
    yield Violation(
        message=f"{topic.logical_id}: is encrypted with {text}, but {sender}",
        hint="take a key of your own that allows kms:GenerateDataKey* and kms:Decrypt to the "
        "service",
        resource=topic,
        path=value.path,
    )
