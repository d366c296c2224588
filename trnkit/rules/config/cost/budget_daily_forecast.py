"""TRN412: a budget per day has no forecast."""

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
        if budget.time_unit not in limits.time_units_without_forecast:
            continue
        for index, threshold in enumerate(thresholds_of(budget)):
            if threshold.notification_type == "FORECASTED":
                place = (*path, "thresholds", index)
                yield Violation(
                    message=f"{format_path(place)} is FORECASTED, which a {budget.time_unit} "
                    "budget does not take",
                    hint="remove it, or write `notification_type: ACTUAL`",
                    path=place,
                    evidence=f"catalogue, time units without a forecast ({limits.date})",
                )


RULE = ConfigRule(
    id="TRN412",
    title="a budget per day has no forecast alert",
    severity=Severity.ERROR,
    why="AWS Budgets refuses the notification, and the deployment fails.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-best-practices.html",
    good="budget: {time_unit: DAILY}\n",
    bad="budget: {time_unit: DAILY, thresholds: [{percent: 100, notification_type: FORECASTED}]}\n",
    check=_check,
)
