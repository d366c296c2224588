"""What a cluster's budgets are: filters, alerts, and who hears of each.

Alerts of one budget at the same threshold are one notification to AWS, which refuses a second; here
their recipients are merged.

Sources:
    https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_Notification.html
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trnkit.catalog import budget_limits
from trnkit.layout.tags import CLUSTER_TAG

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trnkit.config import (
        BudgetConfig,
        BudgetThreshold,
        ClusterConfig,
        FurtherBudgetConfig,
    )
    from trnkit.config.budget import TimeUnit
    from trnkit.config.yaml_reader import Path

AlertKey = tuple[str, str, float]
"""What AWS tells notifications apart by: type, kind of threshold, threshold."""


@dataclass(frozen=True, slots=True)
class AlertPlan:
    """One notification of a budget.

    Attributes:
        notification_type: `ACTUAL` or `FORECASTED`.
        percent: Per cent of the limit, or None.
        amount: An amount in the budget's currency, or None.
        emails: Addresses that AWS Budgets writes to itself; none when the topic delivers.
    """

    notification_type: Literal["ACTUAL", "FORECASTED"]
    percent: float | None
    amount: float | None
    emails: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BudgetPlan:
    """One budget.

    Attributes:
        path: Where the file describes it.
        name: What the file calls it; None for the main budget.
        limit: Limit per time unit, in the cluster's budget currency.
        time_unit: Period after which the count restarts.
        tag: Key and value of the tag to count, or None.
        services: Billing names of the services to count; empty for all.
        linked_accounts: Accounts to count; empty for all.
        alerts: Its notifications, no two at the same threshold.
    """

    path: Path
    name: str | None
    limit: float
    time_unit: TimeUnit
    tag: tuple[str, str] | None
    services: tuple[str, ...]
    linked_accounts: tuple[str, ...]
    alerts: tuple[AlertPlan, ...]


def budget_plans(cluster: ClusterConfig) -> tuple[BudgetPlan, ...]:
    """Every budget of a cluster, the main one first."""
    main = cluster.budget
    plans = [
        BudgetPlan(
            ("budget",),
            None,
            main.limit_usd,
            main.time_unit,
            _tag(cluster, main),
            main.services,
            (),
            _alerts(cluster, main),
        )
    ]
    for index, budget in enumerate(main.further_budgets):
        plans.append(
            BudgetPlan(
                ("budget", "further_budgets", index),
                budget.name,
                budget.limit_usd,
                budget.time_unit,
                _tag(cluster, budget),
                budget.services,
                budget.linked_accounts,
                _alerts(cluster, budget),
            )
        )
    return tuple(plans)


def thresholds_of(budget: BudgetConfig | FurtherBudgetConfig) -> tuple[BudgetThreshold, ...]:
    """When a budget alerts: as the file says, else by default, without what AWS refuses."""
    written = "thresholds" in budget.model_fields_set
    if written or budget.time_unit not in budget_limits().time_units_without_forecast:
        return budget.thresholds
    return tuple(t for t in budget.thresholds if t.notification_type != "FORECASTED")


def alert_key(threshold: BudgetThreshold) -> AlertKey:
    """What AWS tells a notification apart by."""
    is_amount = threshold.amount_usd is not None
    number = threshold.amount_usd if is_amount else threshold.percent
    return threshold.notification_type, "amount" if is_amount else "percent", number or 0


def recipients(
    cluster: ClusterConfig,
    budget: BudgetConfig | FurtherBudgetConfig,
    threshold: BudgetThreshold,
) -> tuple[str, ...]:
    """Whom AWS Budgets writes to at a threshold: nobody when the topic delivers."""
    if cluster.budget.delivery == "topic":
        return ()
    return without_repeats(threshold.emails or budget.emails or cluster.budget.emails)


def without_repeats(addresses: Iterable[str]) -> tuple[str, ...]:
    """Each address once, in the order of their first mention; case does not tell them apart."""
    first: dict[str, str] = {}
    for address in addresses:
        first.setdefault(address.lower(), address)
    return tuple(first.values())


def activation_command(keys: Iterable[str]) -> str:
    """What the payer account runs once, so that billing knows the tags with these keys."""
    entries = [f"TagKey={key},Status=Active" for key in dict.fromkeys(keys)]
    command = "aws ce update-cost-allocation-tags-status --region us-east-1"
    return f"{command} --cost-allocation-tags-status {shlex.join(entries)}"


def _tag(
    cluster: ClusterConfig, budget: BudgetConfig | FurtherBudgetConfig
) -> tuple[str, str] | None:
    if budget.scope == "tag":
        return (budget.tag.key, budget.tag.value) if budget.tag else None
    return (CLUSTER_TAG, cluster.name) if budget.scope == "cluster" else None


def _alerts(
    cluster: ClusterConfig, budget: BudgetConfig | FurtherBudgetConfig
) -> tuple[AlertPlan, ...]:
    merged: dict[AlertKey, list[BudgetThreshold]] = {}
    for threshold in thresholds_of(budget):
        merged.setdefault(alert_key(threshold), []).append(threshold)
    return tuple(_alert(cluster, budget, same) for same in merged.values())


def _alert(
    cluster: ClusterConfig,
    budget: BudgetConfig | FurtherBudgetConfig,
    same: Sequence[BudgetThreshold],
) -> AlertPlan:
    addresses = [
        address for threshold in same for address in recipients(cluster, budget, threshold)
    ]
    first, emails = same[0], without_repeats(addresses)
    return AlertPlan(first.notification_type, first.percent, first.amount_usd, emails)
