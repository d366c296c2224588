"""Whether a topic that exists lets a service publish: its policy is judged as a template's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.rules.reading.budget_resources import TOPIC, policy_verdicts
from trnkit.rules.stack_set import StackSet, Template

if TYPE_CHECKING:
    from collections.abc import Mapping


def lets_publish(policy: Mapping[str, Any], topic_name: str, service: str) -> bool | None:
    """Whether a service may publish to a topic.

    Args:
        policy: The topic's policy.
        topic_name: The last part of its ARN.
        service: The service's principal.

    Returns:
        True when it may well do so, False when it certainly may not, None when that is not known.
    """
    body = {
        "Resources": {
            "Topic": {"Type": TOPIC, "Properties": {"TopicName": topic_name}},
            "Policy": {
                "Type": "AWS::SNS::TopicPolicy",
                "Properties": {"Topics": [{"Ref": "Topic"}], "PolicyDocument": policy},
            },
        }
    }
    stack_set = StackSet([Template("topic", "topic", body)])
    (topic,) = stack_set.resources(TOPIC)
    (verdict,) = policy_verdicts(topic, service, stack_set)
    return verdict
