"""TRN434: nodes that shall write a checkpoint can be told to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    watchdog = cluster.budget.watchdog
    if watchdog is None or cluster.compute.boot.delivery != "inline":
        return
    stages = watchdog.enforcement
    if stages is None or not stages.checkpoint_minutes:
        return
    written = "checkpoint_minutes" in stages.model_fields_set
    yield Violation(
        message="budget.watchdog.enforcement.checkpoint_minutes is "
        f"{stages.checkpoint_minutes}, and nodes of compute.boot.delivery inline are not told: "
        "they have no trn-drain, and are scaled in at once",
        hint="write delivery: s3-asset, or checkpoint_minutes: 0 where jobs write checkpoints by "
        "themselves",
        path=("budget", "watchdog", "enforcement", *(("checkpoint_minutes",) if written else ())),
        severity=Severity.WARNING if written else Severity.INFO,
    )


RULE = ConfigRule(
    id="TRN434",
    title="nodes that shall write a checkpoint before they go can be told to",
    severity=Severity.WARNING,
    why="What tells a job to write its checkpoint is a program of the nodes' bundle; user data has "
    "no room for it.",
    source="https://docs.aws.amazon.com/systems-manager/latest/userguide/run-command.html",
    good="budget: {watchdog: {enforcement: {checkpoint_minutes: 20}}}\n",
    bad="compute: {boot: {delivery: inline}}\nbudget: {watchdog: {enforcement: "
    "{checkpoint_minutes: 20}}}\n",
    check=_check,
)
