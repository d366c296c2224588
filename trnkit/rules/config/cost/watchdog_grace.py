"""TRN429: people can call off what is done by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    watchdog = cluster.budget.watchdog
    stages = watchdog.enforcement if watchdog else None
    if watchdog is None or stages is None or stages.grace_minutes >= watchdog.poll_minutes:
        return
    sections = {"enforcement": stages, "idle_shutdown": watchdog.idle_shutdown}
    # Both wait for the minutes of the one section.
    alone = [name for name, section in sections.items() if section and section.mode == "automatic"]
    if not alone:
        return
    yield Violation(
        message=f"budget.watchdog.enforcement.grace_minutes is {stages.grace_minutes}, less than "
        f"the {watchdog.poll_minutes} minutes between two polls: what {' and '.join(alone)} "
        f"{'plan' if len(alone) > 1 else 'plans'} at one is done at the next, and nobody can call "
        "it off",
        hint="write the minutes that people need to see the warning and to answer",
        path=("budget", "watchdog", "enforcement", "grace_minutes"),
    )


RULE = ConfigRule(
    id="TRN429",
    title="people can call off what automatic enforcement is about to do",
    severity=Severity.WARNING,
    why="A limit that is passed is often known and wanted; without time to object, a training run "
    "ends instead.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-controls.html",
    good="budget: {watchdog: {enforcement: {mode: automatic, grace_minutes: 30}}}\n",
    bad="budget: {watchdog: {enforcement: {mode: automatic, grace_minutes: 0}}}\n",
    check=_check,
)
