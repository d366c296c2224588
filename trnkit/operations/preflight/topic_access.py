"""What a service asks of a topic that exists, when it publishes an alert."""

from __future__ import annotations

from trnkit.operations.preflight.policy_judgement import PolicyRequest, ServiceRequester
from trnkit.rules.reading.policy_statements import BUDGETS

_OF_ACCOUNTS = ("aws:principalorgid", "aws:principalorgpaths", "aws:sourceowner")
"""Condition keys that only principals of accounts have, and no service."""


def publish_request(topic_arn: str, service: str) -> PolicyRequest:
    """The request that the topic's policy must let through.

    Args:
        topic_arn: The topic; the service publishes for its account.
        service: The service's principal.
    """
    _, partition, _, _, account, _ = topic_arn.split(":", 5)
    source = "budgets:" if service == BUDGETS else "*:*"
    return PolicyRequest(
        requester=ServiceRequester(principal=service),
        action="sns:Publish",
        resource=topic_arn,
        context={
            **dict.fromkeys(_OF_ACCOUNTS),
            "aws:principalisawsservice": "true",
            "aws:principalservicename": service,
            "aws:securetransport": "true",
            "aws:sourceaccount": account,
            "aws:sourcearn": f"arn:{partition}:{source}:{account}:*",
        },
    )
