"""TRN435: roles that shall lose the right to launch really lose it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_PATH = ("budget", "watchdog", "enforcement", "deny_role_names")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    watchdog = cluster.budget.watchdog
    stages = watchdog.enforcement if watchdog else None
    if stages is None or not stages.deny_role_names:
        return
    names = alternatives(stages.deny_role_names, "and")
    if stages.mode == "dry-run":
        yield Violation(
            message=f"budget.watchdog.enforcement.mode is dry-run, and AWS Budgets has none: "
            f"{names} may launch on, whatever is spent",
            hint="write mode: approval, with which somebody approves it in the Billing console, "
            "or mode: automatic",
            path=_PATH,
        )
    elif cluster.budget.scope == "account":
        yield Violation(
            message=f"{names} lose the right to launch when the whole account has spent "
            "budget.limit_usd, for budget.scope is account",
            hint="write scope: cluster, or leave it where that is meant",
            path=_PATH,
            severity=Severity.INFO,
        )


RULE = ConfigRule(
    id="TRN435",
    title="roles that shall lose the right to launch really lose it",
    severity=Severity.WARNING,
    why="A budget's action attaches a policy or waits for approval; it has no mode in which it "
    "only says what it would do, so that in a dry run it is not made.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-controls.html",
    good="budget: {watchdog: {enforcement: {mode: approval, deny_role_names: [ml-engineers]}}}\n",
    bad="budget: {watchdog: {enforcement: {deny_role_names: [ml-engineers]}}}\n",
    check=_check,
)
