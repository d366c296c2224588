"""TRN445: what is per cent is not written as a fraction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.per_cents import likely_fractions
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_PRICES = ("budget", "prices_file")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, value in likely_fractions(cluster):
        yield Violation(
            message=f"{format_path(path)} is {value:g}, which is {value:g} per cent",
            hint=_hint(value),
            path=path,
        )
    for path, value in likely_fractions(cluster.budget.prices) if cluster.budget.prices else ():
        yield Violation(
            message=f"{format_path(_PRICES)} has {format_path(path)} {value:g}, which is "
            f"{value:g} per cent",
            hint=_hint(value),
            path=_PRICES,
        )


def _hint(value: float) -> str:
    return f"did you mean {value * 100:g}?"


RULE = ConfigRule(
    id="TRN445",
    title="what is per cent is not written as a fraction",
    severity=Severity.WARNING,
    why="0.8 per cent of a limit is spent in the first hours of a month, so that every alert comes "
    "then and none later; a discount of 0.12 per cent is none.",
    source="https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_Notification.html",
    good="budget: {thresholds: [{percent: 80}], watchdog: {alert_percent: [50, 100]}}\n",
    bad="budget: {thresholds: [{percent: 0.8}], watchdog: {alert_percent: [0.5, 1]}}\n",
    check=_check,
)
