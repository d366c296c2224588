"""An option of a plan: a Region, a zone and a way to buy, and all that is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from datetime import date, datetime

    from trnkit.operations.planning.market import BlockOffering, NodeNeed, SpotHistory
    from trnkit.operations.planning.request import Purchase

Answer: TypeAlias = Literal["yes", "no", "unknown"]
Room: TypeAlias = Literal["yes", "no", "unknown", "not needed"]


class Verdict(StrEnum):
    """Whether an option can be had, as far as AWS was asked. No answer promises capacity."""

    CAN = "can"
    PERHAPS = "perhaps"
    CANNOT = "cannot"

    @property
    def rank(self) -> int:
        """0 for what can be had, which stands first."""
        return list(Verdict).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How the instances of every need are bought.

    Attributes:
        name: The one purchase of all, or `mixed`.
        purchases: One for each need, in their order.
    """

    name: str
    purchases: tuple[Purchase, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where and how a cluster file has its nodes.

    Attributes:
        region: Its Region.
        zone_id: The zone of its nodes; None when nobody knows it.
        purchases: One for each need, in their order.
    """

    region: str
    zone_id: str | None
    purchases: tuple[Purchase, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One need of an option.

    Attributes:
        need: What is wanted.
        purchase: How it is bought.
        offered: Whether it is offered there; of a block, whether one is on sale.
        chips: Neuron chips of an instance; None when the catalogue does not know the type.
        usd_per_hour: US dollars for an instance and hour; None when no price is known.
        price_source: Who says so.
        price_as_of: The date of the price.
        spot: Prices of the last days.
        placement_score: Likelihood of Spot capacity, 1 to 10.
        block: The Capacity Block.
        has_reservation: Whether the cluster file names a reservation that is there already: it
            counts against the quota since it was made, and nothing is bought.
    """

    need: NodeNeed
    purchase: Purchase
    offered: Answer
    chips: int | None
    usd_per_hour: float | None = None
    price_source: str | None = None
    price_as_of: date | None = None
    spot: SpotHistory | None = None
    placement_score: int | None = None
    block: BlockOffering | None = None
    has_reservation: bool = False

    @property
    def usd_per_chip_hour(self) -> float | None:
        """US dollars for a chip and hour, where both price and chips are known."""
        if self.usd_per_hour is None or not self.chips:
            return None
        return self.usd_per_hour / self.chips


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaUse:
    """What an option asks of one vCPU quota.

    Attributes:
        quota_code: Its code.
        name: Its name.
        limit: vCPUs that the account may run.
        used: vCPUs taken already, without the nodes of the cluster that the option leaves there.
        needed: vCPUs of all nodes that count; None when a type's vCPUs are not known.
        own: vCPUs in use that the cluster's own nodes take until the option has replaced them.
    """

    quota_code: str
    name: str
    limit: float
    used: int
    needed: int | None
    own: int = 0

    @property
    def room(self) -> Answer:
        """Whether the nodes fit."""
        if self.needed is None:
            return "unknown"
        return "yes" if self.used + self.needed <= self.limit else "no"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A Region, a zone and a way to buy.

    Attributes:
        region: The Region.
        zone_id: The zone; None for what is the same in the whole Region.
        way: How the instances are bought.
        hours: For how long they are wanted; None when it was not said.
        earliest: From when on; None is from now on.
        parts: Each need; empty when nothing could be asked about them.
        quotas: What is asked of vCPU quotas.
        quota_room: Whether all of them have room.
        obstacles: Why it cannot be had.
        remediable: Whether all obstacles go away by asking AWS for something: a quota, a Region.
        doubts: What is unknown and decides whether it can be had, and what the file must change
            first.
        notes: What else is worth knowing.
        commands: What to run now to have it, in order; empty when there is nothing to buy. Where
            AWS must grant something first, only the request for it.
    """

    region: str
    zone_id: str | None
    way: Way
    hours: int | None
    parts: tuple[Part, ...] = ()
    quotas: tuple[QuotaUse, ...] = ()
    quota_room: Room = "unknown"
    obstacles: tuple[str, ...] = ()
    remediable: bool = False
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    earliest: datetime | None = None
    commands: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Whether it can be had, as far as was asked."""
        if self.obstacles:
            return Verdict.CANNOT
        return Verdict.PERHAPS if self.doubts else Verdict.CAN

    @property
    def offered(self) -> Answer:
        """Whether every part is offered."""
        answers = {part.offered for part in self.parts}
        if "no" in answers:
            return "no"
        return "yes" if answers == {"yes"} else "unknown"

    @property
    def usd_per_hour(self) -> float | None:
        """US dollars for all instances and an hour; None when one of the prices is unknown."""
        total = 0.0
        for part in self.parts:
            if part.usd_per_hour is None:
                return None
            total += part.usd_per_hour * part.need.count
        return total if self.parts else None

    @property
    def usd_whole(self) -> float | None:
        """US dollars for all of it; of a Capacity Block its fee, however long it was wanted."""
        total = 0.0
        for part in self.parts:
            if part.block is not None:
                cost = part.block.upfront_usd
            elif part.usd_per_hour is None or self.hours is None:
                cost = None
            else:
                cost = part.usd_per_hour * part.need.count * self.hours
            if cost is None:
                return None
            total += cost
        return total if self.parts else None

    @property
    def placement_score(self) -> int | None:
        """The lowest of its Spot placement scores."""
        scores = [part.placement_score for part in self.parts if part.placement_score is not None]
        return min(scores, default=None)

    @property
    def start(self) -> datetime | None:
        """When the last of its blocks begins."""
        return max((part.block.start for part in self.parts if part.block), default=None)

    @property
    def end(self) -> datetime | None:
        """When the first of its blocks ends."""
        return min((part.block.end for part in self.parts if part.block), default=None)
