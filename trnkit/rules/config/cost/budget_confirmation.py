"""TRN416: a topic's addresses hear nothing before they are confirmed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.budgets import without_repeats
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    if cluster.budget.delivery != "topic":
        return
    path, number = ("budget", "emails"), len(without_repeats(cluster.budget.emails))
    yield Violation(
        message=f"{format_path(path)} has {number} of the topic's subscribers, and AWS sends "
        "nothing to an address before its owner has confirmed it",
        hint="after the deployment click the link in each mail `AWS Notification - Subscription "
        "Confirmation`",
        path=path,
        evidence="AWS::SNS::Subscription stays PendingConfirmation until then",
    )


RULE = ConfigRule(
    id="TRN416",
    title="addresses that subscribe to the topic must be confirmed once",
    severity=Severity.INFO,
    why="SNS sends to addresses that their owners have confirmed, and to no others; nothing fails "
    "when nobody confirms.",
    source="https://docs.aws.amazon.com/sns/latest/dg/sns-create-subscribe-endpoint-to-topic.html",
    good="budget: {delivery: direct}\n",
    bad="budget: {delivery: topic}\n",
    check=_check,
)
