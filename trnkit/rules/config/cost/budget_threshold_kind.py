"""TRN411: a threshold is a percentage or an amount."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_budgets import budget_thresholds
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, threshold in budget_thresholds(cluster):
        given = [n for n in (threshold.percent, threshold.amount_usd) if n is not None]
        if len(given) != 1:
            yield Violation(
                message=f"{format_path(path)} has {'both' if given else 'neither'} percent "
                f"{'and' if given else 'nor'} amount_usd",
                hint="keep one of them" if given else "write `percent:` or `amount_usd:`",
                path=path,
            )


RULE = ConfigRule(
    id="TRN411",
    title="a budget threshold is a percentage or an amount",
    severity=Severity.ERROR,
    why="AWS Budgets takes one number for a notification, and one meaning of it.",
    source="https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_Notification.html",
    good="budget: {thresholds: [{percent: 80}, {amount_usd: 500}]}\n",
    bad="budget: {thresholds: [{percent: 80, amount_usd: 800}]}\n",
    check=_check,
)
