"""TRN444: a forecast is silent before AWS has weeks of history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import budget_limits
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.budgets import thresholds_of
from trnkit.rules.judging.cluster_budgets import budget_sections
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    limits = budget_limits()
    for path, budget in budget_sections(cluster):
        kinds = [threshold.notification_type for threshold in thresholds_of(budget)]
        if "FORECASTED" in kinds and "ACTUAL" not in kinds:
            yield Violation(
                message=f"{format_path((*path, 'thresholds'))} has forecasts alone, which are "
                f"silent until AWS has about {limits.forecast_history_weeks} weeks of history of "
                "what the budget counts",
                hint="add a threshold of money spent: `- percent: 80`",
                path=(*path, "thresholds"),
                evidence=f"catalogue, budgets ({limits.date})",
            )


RULE = ConfigRule(
    id="TRN444",
    title="a budget with forecasts alerts on money spent, too",
    severity=Severity.WARNING,
    why="A new cluster has no history: in its first weeks, which may be all it has, nothing alerts "
    "at any cost.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-best-practices.html",
    good="budget: {thresholds: [{percent: 80}, {percent: 100, notification_type: FORECASTED}]}\n",
    bad="budget: {thresholds: [{percent: 100, notification_type: FORECASTED}]}\n",
    check=_check,
)
