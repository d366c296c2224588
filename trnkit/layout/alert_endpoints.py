"""Where a topic passes alerts on to: the protocol and id of an endpoint, and where an ARN is from.

Sources:
    https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Literal

Protocol = Literal["email", "https", "lambda", "sqs"]

_SHAPES: dict[Protocol, re.Pattern[str]] = {
    "https": re.compile(r"https://\S+"),
    "lambda": re.compile(r"arn:[a-z-]+:lambda:[^:]*:[^:]*:function:[^:]+(:[^:]+)?"),
    "sqs": re.compile(r"arn:[a-z-]+:sqs:[^:]*:[^:]*:[A-Za-z0-9_-]{1,80}"),
    "email": re.compile(r"[^@\s]+@[^@\s:/]+\.[^@\s:/]+"),
}


def protocol_of(endpoint: str) -> Protocol | None:
    """The protocol of an endpoint, told by its shape.

    Args:
        endpoint: An e-mail address, an `https://` address, or the ARN of a Lambda function or of a
            standard SQS queue (a standard topic does not deliver to FIFO queues).

    Returns:
        None when it is none of them.
    """
    for protocol, shape in _SHAPES.items():
        if shape.fullmatch(endpoint):
            return protocol
    return None


def subscriber_id(endpoint: str) -> str:
    """The construct id of an endpoint's subscription, below the budget that owns the topic.

    It follows from the endpoint and not from its place in a list: SNS asks the owner of an address
    again for every new subscription.
    """
    return f"Subscriber{sha256(endpoint.encode()).hexdigest()[:12]}"


def arn_region(arn: str) -> str:
    """The Region in an ARN; empty for what is global."""
    return arn.split(":")[3]


def arn_account(arn: str) -> str:
    """The account in an ARN."""
    return arn.split(":")[4]
