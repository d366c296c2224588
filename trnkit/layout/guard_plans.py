"""What a cluster's file says of its guard, as the plans that the functions on AWS read.

Sources:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-spot-instances-request.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import budget_limits
from trnkit.config.spend_guard import EnforcementConfig, IdleShutdownConfig
from trnkit.errors import ConstructError
from trnkit.layout.alert_endpoints import arn_region
from trnkit.layout.capacity import block_times, format_utc, uses_capacity_block
from trnkit.layout.spend_guard import (
    GUARD_NAMESPACE,
    EnforcementPlan,
    GuardedGroup,
    LaunchDenialPlan,
    NodeRate,
    WatchdogPlan,
)
from trnkit.layout.tags import budget_region

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.catalog.price_book import InstancePurchase, PriceBook
    from trnkit.config import ClusterConfig, NodeGroupConfig
    from trnkit.config.spend_guard import WatchdogConfig

_PURCHASES: dict[str, InstancePurchase] = {
    "on-demand": "on-demand",
    "on-demand-reservation": "on-demand",
    "spot": "spot",
    "capacity-block": "capacity-block",
}
SLACK = 1.1
"""As `spend_rate_usd_per_hour` of the file is described: a tenth above the full fleet."""


def purchase_of(group: NodeGroupConfig) -> InstancePurchase:
    """How a group's instances are paid for; a reservation is billed as on-demand."""
    return _PURCHASES[group.capacity.type]


def usd_per_node_hour(
    cluster: ClusterConfig, group: NodeGroupConfig, book: PriceBook
) -> float | None:
    """The most that a running instance of a group costs in an hour, or None when nobody shows it.

    A Spot instance never costs more than the group's maximum price, which is the on-demand price
    where the file has none: an upper end, so that nothing is counted too low.
    """
    known = book.instance(group.instance_type, cluster.region, purchase_of(group))
    if known is not None or purchase_of(group) != "spot":
        return known.high if known else None
    if group.capacity.max_price_usd is not None:
        return group.capacity.max_price_usd
    at_most = book.instance(group.instance_type, cluster.region, "on-demand")
    return at_most.high if at_most else None


def month_limit_usd(cluster: ClusterConfig) -> float | None:
    """What the cluster may cost in a calendar month, or None where the file does not say.

    A budget per quarter, in another currency or of a few services says nothing of it.
    """
    budget, watchdog = cluster.budget, cluster.budget.watchdog
    if watchdog is not None and watchdog.month_limit_usd is not None:
        return watchdog.month_limit_usd
    is_it = budget.time_unit == "MONTHLY" and budget.currency == budget_limits().currency
    return budget.limit_usd if is_it and not budget.services else None


def full_rate_usd_per_hour(cluster: ClusterConfig, book: PriceBook) -> float | None:
    """What the cluster costs in an hour with every node running; None where a price is unknown."""
    total = _fixed_usd_per_hour(cluster, book)
    for group in cluster.compute.node_groups:
        if not group.count:
            continue
        rate = usd_per_node_hour(cluster, group, book)
        if rate is None:
            return None
        total += (rate + _beside(cluster, group, book)) * group.count
    return total


def least_usd_per_hour(cluster: ClusterConfig, book: PriceBook) -> float:
    """What the nodes cost in an hour at least, with every one running, as far as it is known.

    A Capacity Block is paid beforehand and has its hours, so that its nodes do not count here.
    """
    total = 0.0
    for group in cluster.compute.node_groups:
        if purchase_of(group) != "capacity-block":
            price = book.instance(group.instance_type, cluster.region, purchase_of(group))
            # Prices of other Regions say nothing of the least here.
            is_sure = price is not None and price.basis != "other regions"
            total += price.low * group.count if price and is_sure else 0
    return total


def node_metrics_namespace(cluster: ClusterConfig) -> str | None:
    """Where nodes say how much of their NeuronCores they use; None where they say nothing."""
    observed = cluster.observability
    sent = observed.cloudwatch_agent and cluster.compute.boot.delivery != "inline"
    return observed.metrics_namespace if sent else None


def watchdog_plan(cluster: ClusterConfig) -> WatchdogPlan | None:
    """What the watchdog counts, or None without one.

    Raises:
        ConstructError: Nothing says what a month may cost.
    """
    watchdog = cluster.budget.watchdog
    if watchdog is None:
        return None
    limit = month_limit_usd(cluster)
    if limit is None:
        raise ConstructError(
            "budget.watchdog.month_limit_usd is needed: the budget's own limit is none in US "
            "dollars for a month of the whole cluster"
        )
    from trnkit.layout.price_book import price_book  # Without a watchdog no check needs it.

    book = price_book(cluster)
    full = full_rate_usd_per_hour(cluster, book)
    idle = watchdog.idle_shutdown or IdleShutdownConfig()
    return WatchdogPlan(
        cluster=cluster.name,
        poll_minutes=watchdog.poll_minutes,
        month_limit_usd=limit,
        alert_percent=tuple(sorted(watchdog.alert_percent)),
        spend_rate_usd_per_hour=watchdog.spend_rate_usd_per_hour
        or (_rounded(full * SLACK) if full else None),
        fixed_usd_per_hour=round(_fixed_usd_per_hour(cluster, book), 6),
        rates=_rates(cluster, book),
        groups=tuple(_guarded(group) for group in cluster.compute.node_groups),
        unused_block_minutes=watchdog.unused_block_minutes,
        idle_alert_minutes=watchdog.idle_alert_minutes,
        idle_below_percent=idle.below_utilization_percent,
        node_metrics_namespace=node_metrics_namespace(cluster),
        namespace=GUARD_NAMESPACE,
    )


def enforcement_plan(cluster: ClusterConfig) -> EnforcementPlan | None:
    """What is done about spending, or None where nothing is.

    Raises:
        ConstructError: Nothing says what a month may cost.
    """
    watchdog = cluster.budget.watchdog
    if watchdog is None or (watchdog.enforcement is None and watchdog.idle_shutdown is None):
        return None
    stages = watchdog.enforcement or EnforcementConfig()
    idle = watchdog.idle_shutdown or IdleShutdownConfig()
    limit = month_limit_usd(cluster) if watchdog.enforcement else None
    if watchdog.enforcement and limit is None:
        raise ConstructError("budget.watchdog.month_limit_usd is needed to enforce it")
    # Without their bundle nodes have nothing that could be told.
    told = cluster.compute.boot.delivery != "inline"
    return EnforcementPlan(
        mode=stages.mode if watchdog.enforcement else None,
        at_usd=_rounded(limit * stages.at_month_to_date_percent / 100) if limit else None,
        at_spend_rate_usd_per_hour=stages.at_spend_rate_usd_per_hour,
        grace_minutes=stages.grace_minutes,
        checkpoint_minutes=stages.checkpoint_minutes if told else 0,
        protected_node_groups=stages.protected_node_groups,
        idle_mode=idle.mode if watchdog.idle_shutdown else None,
        idle_minutes=idle.minutes,
        idle_protected_node_groups=idle_protected(watchdog),
    )


def idle_protected(watchdog: WatchdogConfig) -> tuple[str, ...]:
    """The groups that may stand idle: those of the section, and all that are never touched.

    Args:
        watchdog: The section of the file.
    """
    idle, stages = watchdog.idle_shutdown, watchdog.enforcement
    own = idle.protected_node_groups if idle else ()
    never = stages.protected_node_groups if stages else ()
    return tuple(dict.fromkeys((*own, *never)))


def launch_denial_plan(cluster: ClusterConfig) -> LaunchDenialPlan | None:
    """Who loses the right to launch, or None: also in a dry run, which AWS Budgets has not."""
    watchdog = cluster.budget.watchdog
    stages = watchdog.enforcement if watchdog else None
    if stages is None or not stages.deny_role_names or stages.mode == "dry-run":
        return None
    approval = "MANUAL" if stages.mode == "approval" else "AUTOMATIC"
    return LaunchDenialPlan(role_names=stages.deny_role_names, approval=approval)


def touchable_groups(
    cluster: ClusterConfig, protected: Iterable[str]
) -> tuple[NodeGroupConfig, ...]:
    """The node groups that enforcement may scale in: of a Capacity Block the fee is paid.

    Args:
        cluster: The cluster.
        protected: Names of the groups that must be left alone.
    """
    kept = set(protected)
    return tuple(
        group
        for group in cluster.compute.node_groups
        if group.name not in kept and not uses_capacity_block(group)
    )


def _rounded(usd: float) -> float | None:
    """Short in JSON; None rather than zero, which everything would pass."""
    return round(usd, 4) or None


def _fixed_usd_per_hour(cluster: ClusterConfig, book: PriceBook) -> float:
    """What everything beside nodes costs: the upper end, of what anybody shows a price for."""
    from trnkit.layout.cost import fixed_usd_per_hour  # Without a watchdog no check needs it.

    return fixed_usd_per_hour(cluster, book).counted


def _rates(cluster: ClusterConfig, book: PriceBook) -> tuple[NodeRate, ...]:
    """Of each kind of the groups, and of each type on demand: somebody may start one by hand.

    What comes and goes with a node counts with it, the most of any group of its type.
    """
    found: dict[tuple[str, InstancePurchase], float | None] = {}
    beside: dict[str, float] = {}
    for group in cluster.compute.node_groups:
        name = group.instance_type
        key = (name, purchase_of(group))
        found[key] = _highest(found.get(key), usd_per_node_hour(cluster, group, book))
        beside[name] = max(beside.get(name, 0.0), _beside(cluster, group, book))
    for name in beside:
        price = book.instance(name, cluster.region, "on-demand")
        found.setdefault((name, "on-demand"), price.high if price else None)
    return tuple(
        NodeRate(
            instance_type=name,
            purchase=purchase,
            usd_per_hour=None if usd is None else round(usd + beside[name], 6),
        )
        for (name, purchase), usd in sorted(found.items())
    )


def _beside(cluster: ClusterConfig, group: NodeGroupConfig, book: PriceBook) -> float:
    """What volumes and metrics of a node cost in an hour: as of `_fixed_usd_per_hour`."""
    from trnkit.layout.cost import beside_node_usd_per_hour  # Without a watchdog no check needs it.

    return beside_node_usd_per_hour(cluster, book, group.name).counted


def _highest(*rates: float | None) -> float | None:
    known = [rate for rate in rates if rate is not None]
    return max(known) if known else None


def _guarded(group: NodeGroupConfig) -> GuardedGroup:
    times = block_times(group)
    return GuardedGroup(
        name=group.name,
        instance_type=group.instance_type,
        purchase=purchase_of(group),
        count=group.count,
        capacity_reservation_id=group.capacity.capacity_reservation_id,
        block_start=format_utc(times.start) if times else None,
        block_scale_in=format_utc(times.scale_in) if times else None,
    )


def shares_alert_topic(cluster: ClusterConfig) -> bool:
    """Whether the watchdog speaks through the budget's topic, rather than one of its own.

    Alarms take a topic of their own Region. With `delivery: direct`, nobody may have subscribed
    to the budget's topic, and subscribing its addresses would bring them every mail twice.
    """
    budget = cluster.budget
    where = arn_region(budget.topic_arn) if budget.topic_arn else budget_region(cluster)
    return budget.delivery == "topic" and where == cluster.region


def guard_topic_name(cluster: ClusterConfig) -> str:
    """The name of the watchdog's own topic: what is in another Region is known by its name."""
    return f"{cluster.name}-guard-alerts"
