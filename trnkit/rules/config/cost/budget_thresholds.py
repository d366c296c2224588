"""TRN401: thresholds differ, and are no more than a budget takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import budget_limits
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.budgets import alert_key, budget_plans, recipients
from trnkit.rules.judging.cluster_budgets import budget_sections
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import BudgetConfig, ClusterConfig, FurtherBudgetConfig
    from trnkit.config.yaml_reader import Path


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    plans = budget_plans(cluster)
    for (path, budget), plan in zip(budget_sections(cluster), plans, strict=True):
        yield from _repeats(cluster, budget, (*path, "thresholds"))
        yield from _number(len(plan.alerts), (*path, "thresholds"))


def _repeats(
    cluster: ClusterConfig, budget: BudgetConfig | FurtherBudgetConfig, path: Path
) -> Iterator[Violation]:
    """The same threshold with the same recipients; with others it is merged."""
    first: dict[object, int] = {}
    for index, threshold in enumerate(budget.thresholds):
        if threshold.percent is None and threshold.amount_usd is None:
            continue
        kind, scale, number = alert_key(threshold)
        key = (kind, scale, number, recipients(cluster, budget, threshold))
        if key in first:
            place, unit = (*path, index), "%" if scale == "percent" else cluster.budget.currency
            yield Violation(
                message=f"{format_path(place)} is {kind} {number:g} {unit}, like "
                f"{format_path((*path, first[key]))}",
                hint="remove one of them",
                path=place,
            )
        first.setdefault(key, index)


def _number(number: int, path: Path) -> Iterator[Violation]:
    limits = budget_limits()
    safe, most = limits.notifications_per_budget, limits.notifications_per_budget_model_maximum
    if number > safe:
        over = number > most
        yield Violation(
            message=f"{format_path(path)} has {number} entries; "
            + (f"a budget takes {most}" if over else f"AWS names both {safe} and {most} as limit"),
            hint=f"keep {safe} of them",
            path=path,
            severity=Severity.ERROR if over else Severity.WARNING,
            evidence=f"catalogue, notifications of a budget ({limits.date})",
        )


RULE = ConfigRule(
    id="TRN401",
    title="budget thresholds differ and are few enough",
    severity=Severity.ERROR,
    why="AWS Budgets refuses a second notification of the same type and threshold, and more "
    "notifications than its limit.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-best-practices.html",
    good="budget: {thresholds: [{percent: 80}, {percent: 100}, "
    "{notification_type: FORECASTED, percent: 100}]}\n",
    bad="budget: {thresholds: [{percent: 80}, {percent: 80}]}\n",
    check=_check,
)
