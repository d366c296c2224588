"""TRN439: somebody hears what the watchdog says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.budgets import without_repeats
from trnkit.layout.guard_plans import shares_alert_topic
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    budget = cluster.budget
    if budget.watchdog is None or shares_alert_topic(cluster):
        return
    number = len(without_repeats(budget.emails))
    elsewhere = ", and whoever hears budget.topic_arn does not" if budget.topic_arn else ""
    yield Violation(
        message=f"the watchdog speaks through a topic of its own, in {cluster.region}: "
        f"{_addresses(number)} of budget.emails must confirm that{elsewhere}",
        hint="after the deployment click the link in each address's mail from AWS; before that it "
        "hears nothing",
        path=("budget", "watchdog"),
    )


def _addresses(number: int) -> str:
    return "the address" if number == 1 else f"the {number} addresses"


RULE = ConfigRule(
    id="TRN439",
    title="somebody hears what the watchdog says",
    severity=Severity.INFO,
    why="An alarm takes a topic of its own Region, and AWS Budgets writes to addresses itself with "
    "`delivery: direct`: for the watchdog they subscribe, and each has to confirm it once.",
    source="https://docs.aws.amazon.com/sns/latest/dg/SendMessageToHttp.confirm.html",
    good="budget: {delivery: topic, watchdog: {poll_minutes: 5}}\n",
    bad="budget: {watchdog: {poll_minutes: 5}}\n",
    check=_check,
)
