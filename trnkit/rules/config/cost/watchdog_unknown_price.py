"""TRN431: a watchdog knows the price of what it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.guard_plans import purchase_of, usd_per_node_hour
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    watchdog = cluster.budget.watchdog
    if watchdog is None:
        return
    from trnkit.layout.price_book import price_book  # Without a watchdog no check needs it.

    book, seen = price_book(cluster), set[tuple[str, str]]()
    for index, group in enumerate(cluster.compute.node_groups):
        kind = (group.instance_type, purchase_of(group))
        if kind in seen or not group.count or usd_per_node_hour(cluster, group, book) is not None:
            continue
        seen.add(kind)
        after = (
            "an alarm says so while one runs, and enforcement begins too late"
            if watchdog.enforcement
            else "an alarm says so while one runs"
        )
        yield Violation(
            message=f"no source shows what {kind[0]} costs in {cluster.region} ({kind[1]}): the "
            f"watchdog's sums are without group {group.name}; {after}",
            hint=f"write its price an hour under `{kind[0]} {kind[1]}` into a file, and name that "
            "in budget.prices_file",
            path=("compute", "node_groups", index, "instance_type"),
        )


RULE = ConfigRule(
    id="TRN431",
    title="a watchdog knows the price of what it counts",
    severity=Severity.WARNING,
    why="What is spent is instance hours times their price; where no price is known, a limit in US "
    "dollars is passed unseen.",
    source="https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/price-changes.html",
    good="region: us-west-2\nbudget: {watchdog: {poll_minutes: 5}}\ncompute: {node_groups: "
    "[{name: train, instance_type: trn1.32xlarge, count: 1}]}\n",
    bad="region: us-west-2\nbudget: {watchdog: {poll_minutes: 5}}\ncompute: {node_groups: "
    "[{name: train, instance_type: trn2u.48xlarge, count: 1}]}\n",
    check=_check,
)
