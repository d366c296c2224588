"""TRN436: an alert of the watchdog is at a share of the limit that can be reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_LEAST, _MOST = 0.1, 1000
"""As of a budget's `thresholds`."""


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    watchdog = cluster.budget.watchdog
    seen: set[str] = set()
    for index, percent in enumerate(watchdog.alert_percent if watchdog else ()):
        path = ("budget", "watchdog", "alert_percent", index)
        if _LEAST <= percent <= _MOST:
            # Six digits, as the alarm is named by.
            if (told := f"{percent:g}") in seen:
                yield Violation(
                    message=f"{format_path(path)} is {told}, like another one to six digits",
                    hint="remove one of them",
                    path=path,
                )
            seen.add(told)
            continue
        yield Violation(
            message=f"{format_path(path)} must be {_LEAST:g} to {_MOST:g} per cent of the month's "
            f"limit, got {percent:g}",
            hint="write per cent, for example 80",
            path=path,
        )


RULE = ConfigRule(
    id="TRN436",
    title="an alert of the watchdog is at a share of the limit",
    severity=Severity.ERROR,
    why="At zero or below, the alarm is on from the first minute of every month.",
    source="https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_Notification.html",
    good="budget: {watchdog: {alert_percent: [80, 100]}}\n",
    bad="budget: {watchdog: {alert_percent: [0, 100]}}\n",
    check=_check,
)
