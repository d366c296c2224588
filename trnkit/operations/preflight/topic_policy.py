"""Whether a topic that exists lets a service publish: its policy is judged as a template's.

What a template leaves open is known here: the account for which the service publishes.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, cast

from trnkit.rules.reading.budget_resources import TOPIC, policy_verdicts
from trnkit.rules.stack_set import StackSet, Template

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MATCHING = ("stringequals", "stringequalsignorecase", "stringlike", "arnequals", "arnlike")


def lets_publish(
    policy: Mapping[str, Any], topic_name: str, service: str, account: str
) -> bool | None:
    """Whether a service may publish to a topic.

    Args:
        policy: The topic's policy.
        topic_name: The last part of its ARN.
        service: The service's principal.
        account: The account for which it publishes.

    Returns:
        True when it may well do so, False when it certainly may not, None when that is not known.
    """
    statements = [s for s in _each(policy.get("Statement")) if not _is_of_others(s, account)]
    document = {**policy, "Statement": statements}
    body = {
        "Resources": {
            "Topic": {"Type": TOPIC, "Properties": {"TopicName": topic_name}},
            "Policy": {
                "Type": "AWS::SNS::TopicPolicy",
                "Properties": {"Topics": [{"Ref": "Topic"}], "PolicyDocument": document},
            },
        }
    }
    stack_set = StackSet([Template("topic", "topic", body)])
    (topic,) = stack_set.resources(TOPIC)
    (verdict,) = policy_verdicts(topic, service, stack_set)
    return verdict


def _is_of_others(statement: Any, account: str) -> bool:
    """Whether a condition restricts a statement to other accounts."""
    return any(
        not any(fnmatchcase(account, pattern) for pattern in patterns)
        for patterns in _accounts(statement)
    )


def _accounts(statement: Any) -> Iterator[list[str]]:
    """The accounts that each condition on the source admits, as patterns."""
    for operator, keys in _object(_object(statement).get("Condition")).items():
        if operator.lower() not in _MATCHING:
            continue
        for key, values in _object(keys).items():
            texts = [str(value) for value in _each(values)]
            if key.lower() == "aws:sourceaccount":
                yield texts
            elif key.lower() == "aws:sourcearn":
                # An ARN that is cut short by an asterisk admits every account.
                parts = [text.split(":") for text in texts]
                yield [part[4] if len(part) > 4 else "*" for part in parts]


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _each(value: Any) -> list[Any]:
    """Policies have one entry where a list would be, too."""
    return cast("list[Any]", value) if isinstance(value, list) else [value] if value else []
