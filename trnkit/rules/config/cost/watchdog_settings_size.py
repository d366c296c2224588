"""TRN437: what a watchdog is told fits into its environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.guard_plans import enforcement_plan, month_limit_usd, watchdog_plan
from trnkit.layout.guard_settings import (
    SETTINGS_BYTES_MAXIMUM,
    enforcer_settings,
    settings_text,
    watchdog_settings,
)
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    if month_limit_usd(cluster) is None:
        return  # Said by TRN426: there is no plan.
    watchdog, enforcement = watchdog_plan(cluster), enforcement_plan(cluster)
    if watchdog is None:
        return
    told = [watchdog_settings(watchdog)]
    told += [enforcer_settings(watchdog, enforcement)] if enforcement else []
    size = max(len(settings_text(settings).encode()) for settings in told)
    if size <= SETTINGS_BYTES_MAXIMUM:
        return
    yield Violation(
        message=f"budget.watchdog counts {len(cluster.compute.node_groups)} node groups, and what "
        f"a function is told of them has {size} bytes, of {SETTINGS_BYTES_MAXIMUM} at most",
        hint="make one group of those that are alike, shorten their names, or split the cluster",
        path=("budget", "watchdog"),
    )


_HEAD = """\
budget: {watchdog: {poll_minutes: 5}}
compute:
  node_groups:
"""
_GROUP = (
    "    - {name: group-with-a-long-nam%s, instance_type: trn2.48xlarge, count: 1, capacity: "
    "{type: on-demand-reservation, capacity_reservation_id: cr-0123456789abcde%s}}\n"
)


def _file(number: int) -> str:
    return _HEAD + "".join(_GROUP % (f"{index:02}", f"{index:02}") for index in range(number))


RULE = ConfigRule(
    id="TRN437",
    title="what a watchdog is told fits into its environment",
    severity=Severity.ERROR,
    why="Its groups and rates stand in an environment variable, and Lambda gives all variables of "
    "a function 4 KB together.",
    source="https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html",
    good=_file(2),
    bad=_file(40),
    check=_check,
)
