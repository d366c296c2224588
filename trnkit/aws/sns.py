"""SNS: a topic's policy and key, and who has subscribed to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

if TYPE_CHECKING:
    pass

GET_TOPIC_ATTRIBUTES = ReadOperation(
    service="sns",
    name="GetTopicAttributes",
    permission="sns:GetTopicAttributes",
    purpose="whether an alert topic exists, whom its policy lets publish, and its key",
)
LIST_SUBSCRIPTIONS_BY_TOPIC = ReadOperation(
    service="sns",
    name="ListSubscriptionsByTopic",
    permission="sns:ListSubscriptionsByTopic",
    purpose="whether those who shall hear of alerts have confirmed",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicDescription:
    """A topic as it is.

    Attributes:
        policy: Its policy, as JSON; None when AWS shows none.
        key: The id, ARN or alias of the key that encrypts it; None when it is not encrypted.
    """

    policy: str | None
    key: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionDescription:
    """Who hears what a topic says.

    Attributes:
        endpoint: An address or an ARN.
        state: Whether it hears anything: `pending` waits for its owner, `other` is what AWS calls
            neither confirmed nor pending.
    """

    endpoint: str
    state: Literal["confirmed", "pending", "other"]


class SnsGateway(Gateway):
    """Describes topics of one Region."""

    service = "sns"
    operations = (GET_TOPIC_ATTRIBUTES, LIST_SUBSCRIPTIONS_BY_TOPIC)

    def topic(self, arn: str, *, about: str) -> TopicDescription | None:
        """Describe a topic.

        Args:
            arn: Its ARN.
            about: What it is called in messages, which repeat no ARN of AWS's.

        Returns:
            None when there is none.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        try:
            told = self._ask(GET_TOPIC_ATTRIBUTES, about=about, TopicArn=arn)["Attributes"]
        except AwsFailure as failure:
            if failure.kind is FailureKind.NOT_FOUND:
                return None
            raise
        return TopicDescription(
            policy=told.get("Policy") or None, key=told.get("KmsMasterKeyId") or None
        )

    def subscriptions(self, arn: str, *, about: str) -> tuple[SubscriptionDescription, ...]:
        """Who has subscribed to a topic.

        Args:
            arn: Its ARN.
            about: What it is called in messages.

        Returns:
            Nothing when there is no such topic.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        try:
            told = self._ask_all(
                LIST_SUBSCRIPTIONS_BY_TOPIC, "Subscriptions", about=about, TopicArn=arn
            )
        except AwsFailure as failure:
            if failure.kind is FailureKind.NOT_FOUND:
                return ()
            raise
        return tuple(
            SubscriptionDescription(
                endpoint=entry.get("Endpoint", ""), state=_state(entry.get("SubscriptionArn", ""))
            )
            for entry in told
        )


def _state(arn: str) -> Literal["confirmed", "pending", "other"]:
    """AWS writes the state where a confirmed subscription has its ARN."""
    if arn.startswith("arn:"):
        return "confirmed"
    return "pending" if arn == "PendingConfirmation" else "other"
