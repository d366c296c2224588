"""Nodes: how a group's instances are paid for, and for how many hours of a month.

Sources:
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-pricing-billing.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-pricing-billing.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-spot-instances-request.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.layout.capacity import block_times
from trnkit.layout.cost.billing import price_words, times, usd_exactly
from trnkit.layout.cost.lines import HOURS_PER_MONTH, CostLine, Money
from trnkit.layout.cost.moments import block_moments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog.price_book import InstancePurchase, UnitPrice
    from trnkit.config import NodeGroupConfig
    from trnkit.config.capacity import CapacityType
    from trnkit.layout.cost.billing import Billing
    from trnkit.layout.cost.lines import Course

_PURCHASES: dict[CapacityType, InstancePurchase] = {
    "on-demand": "on-demand",
    "on-demand-reservation": "on-demand",
    "spot": "spot",
    "capacity-block": "capacity-block",
}
_WORDS: dict[CapacityType, str] = {
    "on-demand": "on demand",
    "on-demand-reservation": "reserved",
    "spot": "Spot",
    "capacity-block": "Capacity Block",
}


def node_lines(billing: Billing) -> Iterator[CostLine]:
    """A line for each node group that has nodes."""
    for index, group in enumerate(billing.cluster.compute.node_groups):
        if group.count:
            yield _line(billing, index, group)


def purchase_of(group: NodeGroupConfig) -> InstancePurchase:
    """How a group's instances are paid for; those of a reservation as On-Demand ones."""
    return _PURCHASES[group.capacity.type]


def block_hours(group: NodeGroupConfig) -> float | None:
    """Hours of a group's Capacity Block; None without one, or without its times."""
    at = block_times(group)
    return None if at is None else max(0.0, (at.end - at.start).total_seconds() / 3600)


def running_hours(billing: Billing, group: NodeGroupConfig) -> float:
    """Hours of a month in which a group's nodes run."""
    hours = block_hours(group)
    return billing.assumptions.hours_per_month if hours is None else min(hours, HOURS_PER_MONTH)


def _line(billing: Billing, index: int, group: NodeGroupConfig) -> CostLine:
    kind, count, region = group.capacity.type, group.count, billing.cluster.region
    purchase = purchase_of(group)
    item = f"{group.instance_type} {purchase}"
    price = billing.assumptions.told_price(item) or billing.book.instance(
        group.instance_type, region, purchase
    )
    hourly, cap = times(price, count), None
    if price is None and kind == "spot":
        hourly, cap = _spot_limits(billing, group)
    hours, course, assumption = _hours(billing, group)
    whole = block_hours(group) if kind == "capacity-block" else None
    words = f"{count} nodes x {hours:,g} hours x {price_words(price)}"
    return CostLine(
        key=f"nodes/{group.name}",
        component="nodes",
        name=f"{group.name}: {count} x {group.instance_type}, {_WORDS[kind]}",
        path=("compute", "node_groups", index),
        item=item,
        quantity=count,
        unit="hour",
        price=price,
        hourly=hourly,
        monthly=hourly * hours,
        upfront=None if whole is None else hourly * whole,
        course=course,
        formula=words if whole in (None, hours) else f"{words} (of {whole:,g} hours in all)",
        assumption="; ".join(part for part in (cap, assumption) if part) or None,
        moments=() if whole is None else block_moments(billing.cluster, group),
    )


def _hours(billing: Billing, group: NodeGroupConfig) -> tuple[float, Course, str | None]:
    """Hours of a month that are billed, what they depend on, and what was assumed."""
    said = billing.assumptions.hours_per_month
    if group.capacity.type == "on-demand-reservation":
        return HOURS_PER_MONTH, "always", "a reservation bills whether nodes run or not"
    if group.capacity.type != "capacity-block":
        return said, "nodes", None
    whole = block_hours(group)
    if whole is None:
        return said, "upfront", "how long the block is was not told: paid beforehand"
    paid = "paid when the block is bought, used or not"
    return min(whole, HOURS_PER_MONTH), "upfront", paid


def _spot_limits(billing: Billing, group: NodeGroupConfig) -> tuple[Money, str]:
    """What Spot nodes cost at the most; at the least nobody knows, so that is nothing."""
    on_demand = billing.book.instance(group.instance_type, billing.cluster.region, "on-demand")
    limits = _limits(group, on_demand)
    if not limits:
        return Money(0.0, None), "the Spot price changes by the minute and was not told"
    most, what = min(limits)
    return (
        Money(0.0, most * group.count),
        f"the Spot price was not told: at most {what}, {usd_exactly(most)} an hour",
    )


def _limits(group: NodeGroupConfig, on_demand: UnitPrice | None) -> list[tuple[float, str]]:
    own = group.capacity.max_price_usd
    limits = [] if own is None else [(own, "the group's max_price_usd")]
    if on_demand is not None:
        limits.append((on_demand.high, "the On-Demand price"))
    return limits
