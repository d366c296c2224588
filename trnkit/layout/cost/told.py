"""What was told about a cluster's use, and nothing of its file needs: a slip, most often."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from trnkit.layout.cost.assumptions import Assumptions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from trnkit.layout.cost.lines import ClusterCost

_OF_NODES = ("hours_per_month", "spot_prices")
_OF_THE_GUARD = "guard_seconds"


def told_for_nothing(*costs: ClusterCost, compared: Collection[str] = ()) -> tuple[str, ...]:
    """The options that change no line of any of these costs, as a user wrote them.

    Args:
        costs: What was counted with the same assumptions.
        compared: Items whose prices a comparison with other instances shows beside them.
    """
    each = [tuple(_told_for_nothing(cost, compared)) for cost in costs]
    first, *others = each or [()]
    return tuple(option for option in first if all(option in other for other in others))


def _told_for_nothing(cost: ClusterCost, compared: Collection[str]) -> Iterator[str]:
    said = cost.assumptions
    told = {one.name for one in fields(Assumptions) if getattr(said, one.name) != one.default}
    needed = {line.use for line in cost.lines}
    if cost.of("spend guard"):
        needed.add(_OF_THE_GUARD)
    for name in sorted(told - needed - set(_OF_NODES)):
        yield f"--use {name.replace('_', '-')}"
    items = {line.item for line in cost.of("nodes")}.union(compared)
    for price in said.spot_prices:
        if price.item not in items:
            yield f"--spot-price {price.item.removesuffix(' spot')}"
    if "hours_per_month" in told and all(line.course != "nodes" for line in cost.lines):
        yield "--hours-per-month"
