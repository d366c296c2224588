"""TRN410: a budget's limit is more than the nodes cost in a day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import budget_limits
from trnkit.findings import Severity
from trnkit.layout.fleet_price import group_prices
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trnkit.config import ClusterConfig
    from trnkit.layout.fleet_price import GroupPrice


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    budget = cluster.budget
    if budget.watchdog is not None:
        return  # It counts within minutes.
    if budget.currency != budget_limits().currency:
        return
    prices = group_prices(cluster)
    day = sum(group.usd_per_day for group in prices)
    if budget.limit_usd >= day:
        return
    yield Violation(
        message=f"budget.limit_usd is {budget.limit_usd:g}, and the nodes cost {day:.2f} in 24 "
        f"hours at {_whose(prices)}: the alerts come after the money is gone",
        hint=f"raise the limit above {day:.2f}, start fewer nodes, or let budget.watchdog count "
        "what runs, every few minutes",
        path=("budget", "limit_usd"),
        evidence="; ".join(
            f"{group.count} x {group.instance_type} x {group.usd_per_hour:g} USD/h x 24 h = "
            f"{group.usd_per_day:.2f} ({cluster.region} on-demand, {group.price.date})"
            for group in prices
        ),
    )


def _whose(prices: Iterable[GroupPrice]) -> str:
    own = any(one.price.basis == "file" or one.price.discount_percent for one in prices)
    return "the prices of budget.prices_file" if own else "list price"


RULE = ConfigRule(
    id="TRN410",
    title="a budget's limit is more than the nodes cost in a day",
    severity=Severity.WARNING,
    why="Billing data reaches AWS Budgets about once a day: what is spent before is spent before "
    "anybody hears of it.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-best-practices.html",
    good="region: us-west-2\nbudget: {limit_usd: 516}\ncompute: {node_groups: [{name: train, "
    "instance_type: trn1.32xlarge, count: 1}]}\n",
    bad="region: us-west-2\nbudget: {limit_usd: 515}\ncompute: {node_groups: [{name: train, "
    "instance_type: trn1.32xlarge, count: 1}]}\n",
    check=_check,
)
