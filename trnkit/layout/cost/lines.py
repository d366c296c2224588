"""What a cluster costs, as values: lines, each with its price and its arithmetic, and their sums.

What nobody knows has no upper end: a sum with it is "at least", and never counts it as zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.catalog.price_book import UnitPrice
    from trnkit.layout.cost.assumptions import Assumptions
    from trnkit.layout.cost.moments import BlockMoment

HOURS_PER_MONTH = 730
"""A month, as AWS's pricing calculator counts it: 365 days x 24 hours / 12."""

Component = Literal[
    "nodes",
    "node volumes",
    "lustre",
    "home",
    "bucket",
    "network",
    "monitoring",
    "keys",
    "spend guard",
    "images",
    "data transfer",
]
COMPONENTS: tuple[Component, ...] = get_args(Component)
"""In the order of a report."""

Course = Literal["always", "nodes", "use", "upfront"]
"""What a line costs by: time, the time that nodes run, use, or nothing: it is paid beforehand."""


@dataclass(frozen=True, slots=True)
class Money:
    """US dollars, as far as they are known.

    Attributes:
        low: At least.
        high: At most; None when nobody knows.
    """

    low: float
    high: float | None

    @property
    def is_exact(self) -> bool:
        """Whether both ends are the same."""
        return self.high == self.low

    @property
    def counted(self) -> float:
        """What counts where one number is needed: the upper end, without what nobody knows."""
        return self.low if self.high is None else self.high

    def __mul__(self, factor: float) -> Money:
        """So many times as much."""
        return Money(self.low * factor, None if self.high is None else self.high * factor)


NOTHING = Money(0.0, 0.0)
UNKNOWN = Money(0.0, None)


def total(amounts: Iterable[Money]) -> Money:
    """The sum; without an upper end when one of them has none."""
    every = tuple(amounts)
    highs = [amount.high for amount in every if amount.high is not None]
    return Money(
        math.fsum(amount.low for amount in every),
        math.fsum(highs) if len(highs) == len(every) else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLine:
    """One thing that is billed.

    Attributes:
        key: Tells it from the cluster's other lines, and is the same in another version of the
            file: `nodes/train`.
        component: What it belongs to.
        name: What it is, for people: `train: 16 x trn1.32xlarge, on demand`.
        path: Where the cluster file says so.
        item: Key of the price.
        quantity: Units at a time where they are billed by the hour; else units a month; the fewest
            where only their limits are known.
        unit: What is counted, as the price has it: `hour`, `GB-month`, `GB`...
        price: What a unit costs; None when nobody knows.
        hourly: What an hour costs while it is there: of what is billed by the month, a 730th.
        monthly: What a month costs.
        upfront: What is paid beforehand, once; None when nothing is. `hourly` is then its share of
            an hour, and `monthly` what of it falls into a month.
        course: What it costs by.
        formula: The arithmetic of `monthly`, in words.
        assumption: What the file does not say and was assumed; None when it says all.
        use: The assumption that says how much is used; None where the file does.
        not_told: Whether nobody told that use, so that it was counted as none.
        moments: When what is paid beforehand begins and ends, and what happens in between.
    """

    key: str
    component: Component
    name: str
    path: tuple[str | int, ...]
    item: str
    quantity: float
    unit: str
    price: UnitPrice | None
    hourly: Money
    monthly: Money
    upfront: Money | None = None
    course: Course = "always"
    formula: str
    assumption: str | None = None
    use: str | None = None
    not_told: bool = False
    moments: tuple[BlockMoment, ...] = ()

    @property
    def is_unknown(self) -> bool:
        """Whether nobody knows its price, and some of it is used."""
        return self.price is None and self.quantity > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterCost:
    """What a cluster costs.

    Attributes:
        cluster: Its name.
        region: Its Region.
        assumptions: What was assumed of its use.
        lines: What is billed, by component.
        chips: Accelerator chips of all its nodes; None when a type's are not known.
    """

    cluster: str
    region: str
    assumptions: Assumptions
    lines: tuple[CostLine, ...]
    chips: int | None

    @property
    def hourly(self) -> Money:
        """An hour in which all nodes run, with the shares of what was paid beforehand."""
        return total(line.hourly for line in self.lines)

    @property
    def monthly(self) -> Money:
        """A month, with what of fees paid beforehand falls into it."""
        return total(line.monthly for line in self.lines)

    @property
    def upfront(self) -> Money:
        """What is paid once, beforehand."""
        return total(line.upfront for line in self.lines if line.upfront is not None)

    @property
    def chip_hour(self) -> Money | None:
        """An hour of one chip with everything around it; None without chips, or not known."""
        return self.hourly * (1 / self.chips) if self.chips else None

    @property
    def node_chip_hour(self) -> Money | None:
        """An hour of one chip, of the nodes' prices alone; None as of `chip_hour`."""
        nodes = total(line.hourly for line in self.of("nodes"))
        return nodes * (1 / self.chips) if self.chips else None

    @property
    def unknown(self) -> tuple[CostLine, ...]:
        """Lines whose price nobody knows."""
        return tuple(line for line in self.lines if line.is_unknown)

    @property
    def not_told(self) -> tuple[CostLine, ...]:
        """Lines of use that nobody told, and that count as none."""
        return tuple(line for line in self.lines if line.not_told)

    @property
    def prices(self) -> tuple[UnitPrice, ...]:
        """Each price that counts, once."""
        every = (line.price for line in self.lines if line.price and not line.not_told)
        return tuple(dict.fromkeys(every))

    def of(self, component: Component) -> tuple[CostLine, ...]:
        """The lines of a component."""
        return tuple(line for line in self.lines if line.component == component)

    def components(self) -> tuple[Component, ...]:
        """The components that it has, in the order of a report."""
        had = {line.component for line in self.lines}
        return tuple(component for component in COMPONENTS if component in had)
