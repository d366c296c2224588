"""TRN401: thresholds differ, and are no more than a budget takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import budget_limits
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_PATH = ("budget", "thresholds")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    limits, thresholds = budget_limits(), cluster.budget.thresholds
    first: dict[tuple[str, float], int] = {}
    for index, threshold in enumerate(thresholds):
        key = (threshold.notification_type, threshold.percent)
        if key in first:
            place = (*_PATH, index)
            yield Violation(
                message=f"{format_path(place)} is {key[0]} {key[1]:g} %, like "
                f"{format_path((*_PATH, first[key]))}",
                hint="remove one of them",
                path=place,
            )
        first.setdefault(key, index)
    safe, most = limits.notifications_per_budget, limits.notifications_per_budget_model_maximum
    if len(thresholds) > safe:
        over = len(thresholds) > most
        yield Violation(
            message=f"budget.thresholds has {len(thresholds)} entries; "
            + (f"a budget takes {most}" if over else f"AWS names both {safe} and {most} as limit"),
            hint=f"keep {safe} of them",
            path=_PATH,
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
