"""TRN448: the month's limit is as much as the cluster costs when every node runs all month."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.guard_plans import purchase_of
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.layout.limit_reach import LimitReach


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    # Only what is bought by the hour counts; of other clusters no price is read.
    hourly = {"on-demand", "spot"} if cluster.budget.prices else {"on-demand"}
    groups = cluster.compute.node_groups
    if not any(group.count and purchase_of(group) in hourly for group in groups):
        return
    # Imported here: most of what is imported for prices is not needed by another rule.
    from trnkit.layout.limit_reach import limit_reach
    from trnkit.layout.price_book import price_book

    reach = limit_reach(cluster, price_book(cluster))
    watchdog = cluster.budget.watchdog
    # Of a limit that lasts no day, where only a budget watches, TRN410 speaks.
    if reach is None or reach.lasts or (watchdog is None and reach.days < 1):
        return
    own = watchdog is not None and watchdog.month_limit_usd is not None
    path = ("budget", "watchdog", "month_limit_usd") if own else ("budget", "limit_usd")
    yield Violation(
        message=f"{'.'.join(path)} is {reach.limit_usd:g}, and the cluster costs at least "
        f"{reach.usd_per_hour:.2f} USD an hour with every node running: so the limit of a month "
        f"is passed after {_time(reach.days)} at the latest{_enforced(cluster, reach)}",
        hint="leave it where nodes run a part of the month, else raise the limit or start fewer",
        path=path,
    )


def _time(days: float) -> str:
    return f"{days:.1f} days" if days >= 2 else f"{days * 24:.1f} hours"


def _enforced(cluster: ClusterConfig, reach: LimitReach) -> str:
    stages = cluster.budget.watchdog and cluster.budget.watchdog.enforcement
    days = reach.days_to_enforcement
    if stages is None or days is None:
        return ""
    when = "then" if days == reach.days else f"after {_time(days)}"
    what = f"enforcement begins {when}"
    return f", and {what}, as a dry run" if stages.mode == "dry-run" else f", and {what}"


_NODES = (
    "region: us-west-2\ncompute: {node_groups: [{name: train, instance_type: trn1.32xlarge, "
    "count: 2}]}\n"
)

RULE = ConfigRule(
    id="TRN448",
    title="the month's limit is what the cluster costs in a month",
    severity=Severity.INFO,
    why="A limit that is a fraction of it may be wanted, where nodes run by day. Else alerts come "
    "in every month, and enforcement stops the training in its middle.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-best-practices.html",
    good=f"{_NODES}budget: {{limit_usd: 32000}}\n",
    bad=f"{_NODES}budget: {{limit_usd: 15000}}\n",
    check=_check,
)
