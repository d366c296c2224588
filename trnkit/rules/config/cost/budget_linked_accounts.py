"""TRN419: a filter on accounts belongs to the management account."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for index, budget in enumerate(cluster.budget.further_budgets):
        path = ("budget", "further_budgets", index, "linked_accounts")
        accounts = budget.linked_accounts
        if len(set(accounts)) < len(accounts):
            yield Violation(
                message=f"{format_path(path)} names an account twice",
                hint="name each once",
                path=path,
                severity=Severity.ERROR,
            )
        elif accounts:
            yield Violation(
                message=f"{format_path(path)} works in the organization's management account only",
                hint="remove it where the budget is in a member account, which sees no cost but "
                "its own",
                path=path,
            )


RULE = ConfigRule(
    id="TRN419",
    title="a budget over accounts belongs to the management account",
    severity=Severity.INFO,
    why="AWS Budgets does not support the filter in a member account.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create-filters.html",
    good="budget: {further_budgets: [{name: storage, limit_usd: 9, services: [Amazon FSx]}]}\n",
    bad="budget: {further_budgets: [{name: team, limit_usd: 9, scope: account, "
    "linked_accounts: ['111122223333']}]}\n",
    check=_check,
)
