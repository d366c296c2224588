"""TRN427: a node group that is protected exists."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.wording import did_you_mean
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    watchdog = cluster.budget.watchdog
    if watchdog is None:
        return
    groups = [group.name for group in cluster.compute.node_groups]
    lists = {
        "enforcement": watchdog.enforcement.protected_node_groups if watchdog.enforcement else (),
        "idle_shutdown": watchdog.idle_shutdown.protected_node_groups
        if watchdog.idle_shutdown
        else (),
    }
    for section, protected in lists.items():
        for index, name in enumerate(protected):
            if name in groups:
                continue
            path = ("budget", "watchdog", section, "protected_node_groups", index)
            yield Violation(
                message=f"{format_path(path)} is {name}, and no node group has that name",
                hint=did_you_mean(
                    get_close_matches(name, groups, n=3),
                    "name a node group of this file, or remove the line",
                ),
                path=path,
            )


RULE = ConfigRule(
    id="TRN427",
    title="a node group that is protected exists",
    severity=Severity.ERROR,
    why="A misspelt name protects nothing: the group that was meant is scaled in with the others.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-scaling-manually.html",
    good="budget: {watchdog: {enforcement: {protected_node_groups: [train]}}}\n",
    bad="budget: {watchdog: {enforcement: {protected_node_groups: [trian]}}}\n",
    check=_check,
)
