"""TRN415: with delivery by topic, all hear of every alert."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_budgets import email_lists
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


_OWN = (("budget", "emails"), ("budget", "anomaly_detection", "emails"))


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    if cluster.budget.delivery != "topic":
        return
    for path, emails in email_lists(cluster):
        if emails and path not in _OWN:
            yield Violation(
                message=f"{format_path(path)} is not heard of: with `delivery: topic` whoever "
                "subscribes to the topic hears of every alert",
                hint="move the addresses to budget.emails, or write `delivery: direct`",
                path=path,
            )


RULE = ConfigRule(
    id="TRN415",
    title="with delivery by topic, addresses stand in budget.emails",
    severity=Severity.ERROR,
    why="A topic passes every message to all its subscribers; addresses for one alert alone would "
    "hear of all of them, or of none.",
    source="https://docs.aws.amazon.com/sns/latest/dg/sns-create-subscribe-endpoint-to-topic.html",
    good="budget: {delivery: topic}\n",
    bad="budget: {delivery: topic, thresholds: [{percent: 80, emails: [finance@example.com]}]}\n",
    check=_check,
)
