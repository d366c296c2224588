"""TRN433: limits of the spend rate lie above what the cluster costs as written, and not far off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.guard_plans import full_rate_usd_per_hour, least_usd_per_hour
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.config.yaml_reader import Path

_FAR = 10
"""Groups never grow past their count: what is left is nodes that somebody starts by hand."""


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    watchdog = cluster.budget.watchdog
    if watchdog is None:
        return
    stages = watchdog.enforcement
    limits: dict[Path, tuple[float | None, str]] = {
        ("budget", "watchdog", "spend_rate_usd_per_hour"): (
            watchdog.spend_rate_usd_per_hour,
            "the alarm is on whenever all nodes run",
        ),
        ("budget", "watchdog", "enforcement", "at_spend_rate_usd_per_hour"): (
            stages.at_spend_rate_usd_per_hour if stages else None,
            "enforcement begins as soon as all nodes run",
        ),
    }
    from trnkit.layout.price_book import price_book  # Without a watchdog no check needs it.

    book = price_book(cluster)
    least = least_usd_per_hour(cluster, book)
    most = full_rate_usd_per_hour(cluster, book)
    for path, (limit, consequence) in limits.items():
        if limit is None:
            continue
        key = ".".join(str(part) for part in path)
        if limit < least:
            yield Violation(
                message=f"{key} is {limit:g}, and the node groups cost at least {least:.2f} "
                f"USD an hour at their size: {consequence}",
                hint=f"write more than {least:.2f}, or fewer nodes",
                path=path,
            )
        elif most is not None and 0 < most * _FAR < limit:
            yield Violation(
                message=f"{key} is {limit:g}, more than {_FAR} times the {most:.2f} USD that "
                "the cluster costs an hour with every node running: nothing reaches it",
                hint=f"write a little more than {most:.2f}, or leave the line out",
                path=path,
            )


RULE = ConfigRule(
    id="TRN433",
    title="a limit of the spend rate lies above what the cluster costs, and within reach",
    severity=Severity.WARNING,
    why="An alarm that is always on is soon ignored, and one that nothing reaches is none.",
    source="https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/AlarmThatSendsEmail.html",
    good="region: us-west-2\nbudget: {watchdog: {spend_rate_usd_per_hour: 30}}\ncompute: "
    "{node_groups: [{name: train, instance_type: trn1.32xlarge, count: 1}]}\n",
    bad="region: us-west-2\nbudget: {watchdog: {spend_rate_usd_per_hour: 20}}\ncompute: "
    "{node_groups: [{name: train, instance_type: trn1.32xlarge, count: 1}]}\n",
    check=_check,
)
