"""TRN428: enforcement has something that it may touch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.capacity import uses_capacity_block
from trnkit.layout.guard_plans import touchable_groups
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    watchdog = cluster.budget.watchdog
    if watchdog is None:
        return
    stages, idle = watchdog.enforcement, watchdog.idle_shutdown
    # Denying launches to people is a stage of its own, for a cluster that may run on.
    if stages and not stages.deny_role_names:
        yield from _judge(cluster, "enforcement", stages.protected_node_groups)
    if idle:
        never = stages.protected_node_groups if stages else ()
        yield from _judge(cluster, "idle_shutdown", idle.protected_node_groups, never)


def _judge(
    cluster: ClusterConfig, section: str, own: tuple[str, ...], inherited: tuple[str, ...] = ()
) -> Iterator[Violation]:
    protected = (*own, *inherited)
    if touchable_groups(cluster, protected):
        return
    where = f"budget.watchdog.{section}"
    paid = [group.name for group in cluster.compute.node_groups if uses_capacity_block(group)]
    yield Violation(
        message=f"{where} does nothing: {alternatives(paid, 'and')} run in Capacity Blocks, whose "
        "fee is paid, "
        f"{'and every other group is protected' if protected else 'and there is no other group'}"
        if paid
        else f"{_lists(section, own, inherited)} every node group of the cluster: {section} does "
        "nothing",
        hint=f"leave out a group that may be scaled in, or remove {where}",
        path=("budget", "watchdog", section, *(("protected_node_groups",) if own else ())),
    )


def _lists(section: str, own: tuple[str, ...], inherited: tuple[str, ...]) -> str:
    """The lists that protect, which enforcement's does for both sections."""
    named = [section] if own else []
    named += ["enforcement"] if inherited else []
    lists = [f"budget.watchdog.{name}.protected_node_groups" for name in named]
    return f"{' and '.join(lists)} {'together have' if len(lists) > 1 else 'has'}"


RULE = ConfigRule(
    id="TRN428",
    title="enforcement has a node group that it may touch",
    severity=Severity.WARNING,
    why="Who reads that enforcement is on relies on it; with every group protected, or paid "
    "beforehand, it never scales anything in.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-scaling-manually.html",
    good="budget: {watchdog: {enforcement: {mode: approval}}}\n",
    bad="budget: {watchdog: {enforcement: {mode: approval, protected_node_groups: [train]}}}\n",
    check=_check,
)
