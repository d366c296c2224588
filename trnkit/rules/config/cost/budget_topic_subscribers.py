"""TRN418: functions and queues let SNS in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.alert_endpoints import protocol_of
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


_PATH = ("budget", "topic_subscribers")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    first: dict[str, int] = {}
    for index, endpoint in enumerate(cluster.budget.topic_subscribers):
        path = (*_PATH, index)
        if endpoint in first:
            yield Violation(
                message=f"{format_path(path)} is {endpoint}, like "
                f"{format_path((*_PATH, first[endpoint]))}",
                hint="remove one of them",
                path=path,
                severity=Severity.ERROR,
            )
            continue
        first[endpoint] = index
        hint = {
            "lambda": "after the deployment run `aws lambda add-permission --statement-id "
            f"trnkit-alerts --function-name {endpoint} --action lambda:InvokeFunction --principal "
            "sns.amazonaws.com --source-arn <output AlertTopicArn>`",
            "sqs": "in the queue's policy allow sqs:SendMessage to sns.amazonaws.com where "
            "aws:SourceArn is the output AlertTopicArn; where the queue has a key of its own, "
            "allow that service kms:GenerateDataKey* and kms:Decrypt in the key's policy",
        }.get(protocol_of(endpoint) or "")
        if hint:
            yield Violation(
                message=f"{format_path(path)} is {endpoint}, which hears nothing before it lets "
                "sns.amazonaws.com in",
                hint=hint,
                path=path,
            )


RULE = ConfigRule(
    id="TRN418",
    title="functions and queues that hear of alerts let SNS in",
    severity=Severity.INFO,
    why="The permission belongs to the function or queue, which this file does not make; without "
    "it the topic's messages are lost without a word.",
    source="https://docs.aws.amazon.com/sns/latest/dg/sns-create-subscribe-endpoint-to-topic.html",
    good="budget: {topic_subscribers: ['https://alerts.example.com/budget']}\n",
    bad="budget: {topic_subscribers: ['arn:aws:sqs:us-east-2:111122223333:cost-alerts']}\n",
    check=_check,
)
