"""TRN413: limits are in the currency of the account's bill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import budget_limits
from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    budget, limits = cluster.budget, budget_limits()
    if budget.currency == limits.currency:
        return
    if budget.currency_confirmed:
        yield from _unheard_of(budget.currency)
        return
    yield Violation(
        message=f"budget.currency is {budget.currency}; AWS Budgets takes {limits.currency} in "
        "nearly every account",
        hint=f"write the limits in {limits.currency}, or, if AWS bills the account in "
        f"{budget.currency} (as in China in CNY), `currency_confirmed: true`",
        path=("budget", "currency"),
        evidence=f"catalogue, unit of a cost budget ({limits.date})",
    )


def _unheard_of(currency: str) -> Iterator[Violation]:
    limits = budget_limits()
    if currency not in limits.currencies_elsewhere:
        yield Violation(
            message=f"budget.currency is {currency}, in which no AWS bill is known here",
            hint="add TRN455, which refuses it in templates, to `suppress`, with the reason",
            path=("budget", "currency"),
            severity=Severity.INFO,
            evidence=f"catalogue, {', '.join(limits.currencies_elsewhere)} ({limits.date})",
        )


RULE = ConfigRule(
    id="TRN413",
    title="budget limits are in the currency of the account's bill",
    severity=Severity.ERROR,
    why="AWS Budgets refuses a limit in any currency but the account's, whatever the account's "
    "country is, and the deployment fails.",
    source="https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_Spend.html",
    good="budget: {currency: CNY, currency_confirmed: true}\n",
    bad="budget: {currency: EUR}\n",
    check=_check,
)
