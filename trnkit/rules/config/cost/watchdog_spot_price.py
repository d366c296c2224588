"""TRN432: Spot instances count at their highest price."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.guard_plans import usd_per_node_hour
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    if cluster.budget.watchdog is None:
        return
    from trnkit.layout.price_book import price_book  # Without a watchdog no check needs it.

    book = price_book(cluster)
    for index, group in enumerate(cluster.compute.node_groups):
        if group.capacity.type != "spot" or not group.count:
            continue
        rate = usd_per_node_hour(cluster, group, book)
        if rate is None or book.instance(group.instance_type, cluster.region, "spot"):
            continue
        own = group.capacity.max_price_usd is not None
        what = "its max_price_usd" if own else "the on-demand price"
        yield Violation(
            message=f"the watchdog counts a Spot instance of group {group.name} at {rate:g} USD an "
            f"hour, {what}: more than is paid",
            hint=f"write a price that you expect under `{group.instance_type} spot` into a file, "
            "and name that in budget.prices_file; or leave it: nothing is counted too low",
            path=("compute", "node_groups", index, "capacity"),
        )


RULE = ConfigRule(
    id="TRN432",
    title="Spot instances without a price of the file count at their highest",
    severity=Severity.INFO,
    why="A Spot price changes by the minute and is never above the request's maximum, which is the "
    "on-demand price where none is given.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-spot-instances-request.html",
    good="budget: {watchdog: {poll_minutes: 5}}\n",
    bad="region: us-west-2\nbudget: {watchdog: {poll_minutes: 5}}\ncompute: {node_groups: "
    "[{name: train, instance_type: trn1.32xlarge, count: 1, capacity: {type: spot}}]}\n",
    check=_check,
)
