"""The same work on other instances, bought in other ways, and what that costs.

Two views of "the same": as much dense BF16 compute, of which each kind is assumed to reach a share;
and as much accelerator memory. Neither says how fast a model trains. No price is guessed: what
nobody knows stays in the comparison, as unknown.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.layout.cost.lines import UNKNOWN, Money, total

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trnkit.catalog.price_book import InstancePurchase, PriceBook, UnitPrice
    from trnkit.layout.cost.machines import Machine, Utilisation

PURCHASES: tuple[InstancePurchase, ...] = ("on-demand", "capacity-block", "spot")

_ROUNDING = 9
"""Digits after the point up to which 4.0000000001 instances are 4."""


@dataclass(frozen=True, slots=True)
class GroupWork:
    """Nodes of a group.

    Attributes:
        name: The group's name.
        instance_type: EC2 instance type.
        count: How many.
    """

    name: str
    instance_type: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What the nodes of a cluster can do at once.

    Attributes:
        counted: The groups that it is made of.
        left_out: Groups of types whose compute or memory nobody knows: they are not compared.
        accelerators: Accelerators of the groups that count.
        peak_tflops: Their dense BF16 peak in TFLOP/s.
        effective_tflops: What of it they are assumed to reach.
        memory_gib: Their memory in GiB.
    """

    counted: tuple[GroupWork, ...]
    left_out: tuple[GroupWork, ...]
    accelerators: int
    peak_tflops: float
    effective_tflops: float
    memory_gib: float

    @property
    def is_nothing(self) -> bool:
        """Whether there is nothing to compare."""
        return not self.accelerators


@dataclass(frozen=True, slots=True)
class Need:
    """Instances for some work.

    Attributes:
        exact: How many it would be if they could be bought in parts.
        step: How many are sold together.
    """

    exact: float
    step: int = 1

    @property
    def instances(self) -> int:
        """How many there must be."""
        return math.ceil(round(self.exact / self.step, _ROUNDING)) * self.step


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """An instance type bought in one way.

    Attributes:
        machine: The type.
        purchase: How it is bought.
        utilisation: Share of its peak that it is assumed to reach.
        price: What an instance costs in an hour; None when nobody knows.
        for_compute: Instances for as much effective compute; None when its peak is unknown.
        for_memory: Instances for as much accelerator memory; None when its memory is unknown.
    """

    machine: Machine
    purchase: InstancePurchase
    utilisation: float
    price: UnitPrice | None
    for_compute: Need | None
    for_memory: Need | None

    @property
    def is_sold_here(self) -> bool | None:
        """Whether the Region sells the type in this way; None when nobody knows."""
        if self.machine.offered is False or self.purchase != "capacity-block":
            return self.machine.offered
        return self.machine.block_offered

    @property
    def instance_hour(self) -> Money:
        """What one instance costs in an hour."""
        return UNKNOWN if self.price is None else Money(self.price.low, self.price.high)

    @property
    def accelerator_hour(self) -> Money:
        """What one accelerator costs in an hour."""
        return _share(self.instance_hour, self.machine.accelerators)

    @property
    def peak_tflop_hour(self) -> Money:
        """What an hour of a TFLOP/s of its dense BF16 peak costs."""
        return _share(self.instance_hour, self.machine.peak_tflops)

    @property
    def effective_tflop_hour(self) -> Money:
        """What an hour of a TFLOP/s costs that it is assumed to reach."""
        peak = self.machine.peak_tflops
        return _share(self.instance_hour, None if peak is None else peak * self.utilisation)

    @property
    def more_than_a_block(self) -> bool:
        """Whether the same compute needs more than one Capacity Block."""
        most = self.machine.block_maximum
        if self.purchase != "capacity-block" or most is None or self.for_compute is None:
            return False
        return self.for_compute.instances > most

    @property
    def compute_hour(self) -> Money:
        """What an hour of the same compute costs, in whole instances."""
        return _whole(self.instance_hour, self.for_compute)

    @property
    def memory_hour(self) -> Money:
        """What an hour of the same accelerator memory costs, in whole instances."""
        return _whole(self.instance_hour, self.for_memory)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRate:
    """What an hour of the cluster's own nodes costs, of the groups that are compared.

    Attributes:
        nodes: The nodes, as the file buys them.
        work: What they can do.
    """

    nodes: Money
    work: Work

    @property
    def accelerator_hour(self) -> Money:
        """What one accelerator costs in an hour."""
        return _share(self.nodes, self.work.accelerators)

    @property
    def peak_tflop_hour(self) -> Money:
        """What an hour of a TFLOP/s of dense BF16 peak costs."""
        return _share(self.nodes, self.work.peak_tflops)

    @property
    def effective_tflop_hour(self) -> Money:
        """What an hour of a TFLOP/s costs that the nodes are assumed to reach."""
        return _share(self.nodes, self.work.effective_tflops)

    def times(self, other: Money) -> Money | None:
        """How many times as much another amount is, at least and at most; None when not known."""
        if self.nodes.high is None or other.high is None or self.nodes.low <= 0:
            return None
        return Money(other.low / self.nodes.high, other.high / self.nodes.low)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkComparison:
    """A cluster's nodes beside other instances.

    Attributes:
        region: The Region that prices are asked for.
        utilisation: What was assumed.
        own: The cluster's own nodes.
        ways: Types and ways to buy them, the cheapest for the same compute first, unknown last.
        not_sold: Type and way that AWS does not have.
        spot_not_told: Types of which nobody gave a Spot price, which no list has.
    """

    region: str
    utilisation: Utilisation
    own: OwnRate
    ways: tuple[Way, ...]
    not_sold: tuple[tuple[str, InstancePurchase], ...]
    spot_not_told: tuple[str, ...]

    @property
    def without_price(self) -> tuple[Way, ...]:
        """Ways whose price nobody knows."""
        return tuple(way for way in self.ways if way.price is None)


def compare(
    groups: Sequence[GroupWork],
    node_hours: Mapping[str, Money],
    machines: Sequence[Machine],
    book: PriceBook,
    region: str,
    utilisation: Utilisation,
    spot_prices: Sequence[UnitPrice] = (),
) -> WorkComparison:
    """Compare a cluster's nodes with other instances.

    Args:
        groups: Its node groups.
        node_hours: Name of a group and what an hour of all its nodes costs.
        machines: Types to compare with, and those of the groups.
        book: Prices.
        region: The cluster's Region.
        utilisation: Share of the peak that each kind reaches.
        spot_prices: Spot prices that were told beside the book.
    """
    told = {price.item: price for price in spot_prices}
    work = _work(groups, {machine.instance_type: machine for machine in machines}, utilisation)
    ways: list[Way] = []
    not_sold: list[tuple[str, InstancePurchase]] = []
    spot_not_told: list[str] = []
    for machine in machines:
        for purchase in PURCHASES:
            item = f"{machine.instance_type} {purchase}"
            price = told.get(item) or book.instance(machine.instance_type, region, purchase)
            if price is None and purchase in machine.not_sold:
                not_sold.append((machine.instance_type, purchase))
            elif price is None and purchase == "spot":
                spot_not_told.append(machine.instance_type)
            else:
                ways.append(_way(machine, purchase, price, work, utilisation))
    nodes = total(node_hours.get(group.name, UNKNOWN) for group in work.counted)
    return WorkComparison(
        region=region,
        utilisation=utilisation,
        own=OwnRate(nodes=nodes, work=work),
        ways=tuple(sorted(ways, key=_rank)),
        not_sold=tuple(not_sold),
        spot_not_told=tuple(spot_not_told),
    )


def _work(
    groups: Sequence[GroupWork], machines: Mapping[str, Machine], utilisation: Utilisation
) -> Work:
    counted: list[GroupWork] = []
    left_out: list[GroupWork] = []
    accelerators, peak, effective, memory = 0, [0.0], [0.0], [0.0]
    for group in groups:
        machine = machines.get(group.instance_type)
        tflops = machine and machine.peak_tflops
        gib = machine and machine.total_memory_gib
        if machine is None or not machine.accelerators or tflops is None or gib is None:
            left_out.append(group)
            continue
        counted.append(group)
        accelerators += group.count * machine.accelerators
        peak.append(group.count * tflops)
        effective.append(group.count * tflops * utilisation.of(group.instance_type))
        memory.append(group.count * gib)
    return Work(
        counted=tuple(counted),
        left_out=tuple(left_out),
        accelerators=accelerators,
        peak_tflops=math.fsum(peak),
        effective_tflops=math.fsum(effective),
        memory_gib=math.fsum(memory),
    )


def _way(
    machine: Machine,
    purchase: InstancePurchase,
    price: UnitPrice | None,
    work: Work,
    utilisation: Utilisation,
) -> Way:
    share = utilisation.of(machine.instance_type)
    peak, memory = machine.peak_tflops, machine.total_memory_gib
    step = machine.block_step if purchase == "capacity-block" else 1
    return Way(
        machine=machine,
        purchase=purchase,
        utilisation=share,
        price=price,
        for_compute=Need(work.effective_tflops / (peak * share), step) if peak else None,
        for_memory=Need(work.memory_gib / memory, step) if memory else None,
    )


def _rank(way: Way) -> tuple[bool, float, float, float, str]:
    """Cheapest first in whole instances, then in parts of them; unknown last."""
    whole, unit = way.compute_hour, way.effective_tflop_hour
    high = math.inf if whole.high is None else whole.high
    each = math.inf if unit.high is None else unit.high
    return (
        whole.high is None,
        high,
        whole.low,
        each,
        f"{way.machine.instance_type} {way.purchase}",
    )


def _share(amount: Money, parts: float | None) -> Money:
    """One part of an amount; unknown when nobody knows how many there are."""
    return amount * (1 / parts) if parts else UNKNOWN


def _whole(each: Money, need: Need | None) -> Money:
    return UNKNOWN if need is None else each * need.instances
