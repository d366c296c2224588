"""TRN426: a watchdog knows what a month may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import budget_limits
from trnkit.findings import Severity
from trnkit.layout.guard_plans import month_limit_usd
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import BudgetConfig, ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    budget = cluster.budget
    if budget.watchdog is None or month_limit_usd(cluster) is not None:
        return
    yield Violation(
        message="budget.watchdog.month_limit_usd is missing, and budget.limit_usd does not say "
        f"what a month may cost: {_what_it_is(budget)}",
        hint="write month_limit_usd: what the cluster may cost in a calendar month, in US dollars",
        path=("budget", "watchdog"),
    )


def _what_it_is(budget: BudgetConfig) -> str:
    if budget.time_unit != "MONTHLY":
        return f"it is a limit for time_unit {budget.time_unit}"
    if budget.currency != budget_limits().currency:
        return f"it is in {budget.currency}, and prices are in {budget_limits().currency}"
    return "it is a limit for some services only"


RULE = ConfigRule(
    id="TRN426",
    title="a watchdog knows what a month may cost",
    severity=Severity.ERROR,
    why="It compares what was spent in a calendar month, in US dollars, with a limit; a limit per "
    "quarter, in another currency or for a few services is none of that.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create.html",
    good="budget: {time_unit: QUARTERLY, watchdog: {month_limit_usd: 20000}}\n",
    bad="budget: {time_unit: QUARTERLY, watchdog: {poll_minutes: 5}}\n",
    check=_check,
)
