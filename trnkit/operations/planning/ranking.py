"""Options out of what AWS said of Regions, in the order in which one would look at them.

Pure: what AWS said goes in, options come out. The order:

1. what can be had as far as was asked, then what perhaps can, then what cannot; of the last, first
   what only a larger quota or a Region switched on stands against;
2. the lower price, and whatever has a known price before what has none: of all instances for the
   hours wanted, or for one hour when none were said;
3. the earlier start, the higher Spot placement score, where the file has its nodes now, then
   Region, zone and way to buy by name.

A placement score decides nothing else: AWS gives low scores to a single instance type, so that they
compare zones and no more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.catalog import (
    find_instance_type,
    neuron_image_parameters_available,
)
from trnkit.findings import Severity
from trnkit.operations.planning.block_sets import block_sets
from trnkit.operations.planning.blocks import over_block_size
from trnkit.operations.planning.buying import commands_of
from trnkit.operations.planning.options import Option, Standing
from trnkit.operations.planning.parts import judge_part
from trnkit.operations.planning.quota_room import judge_quotas
from trnkit.report.words import count_of
from trnkit.rules.judging.offerings import judge_spot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from trnkit.operations.planning.market import BlockOffering, NodeNeed, RegionMarket, TypeMarket
    from trnkit.operations.planning.options import Part, QuotaUse, Way
    from trnkit.operations.planning.request import PlanRequest

_GOOD_ZONES = ("available", "information")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What options are judged by, beside the market.

    Attributes:
        request: What AWS was asked.
        ways: Ways to buy all of it.
        asked_at: When AWS was asked.
        reserved: Group -> Region and zone of the On-Demand Capacity Reservation that the cluster
            file names for it; such nodes need no further quota there.
        data_uses: What holds of the file only where its data is in the same Region.
        misfits: Region or zone -> what the file must change before it can go there.
        has_file: Whether a file is planned; what it lacks somewhere is among its misfits.
        standing: Where and how the cluster file has its nodes now; None without a file.
    """

    request: PlanRequest
    ways: tuple[Way, ...]
    asked_at: datetime
    reserved: Mapping[str, tuple[str, str | None]] = field(
        default_factory=dict[str, "tuple[str, str | None]"]
    )
    data_uses: tuple[str, ...] = ()
    misfits: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    has_file: bool = False
    standing: Standing | None = None

    def stays(self, region: str, zone: str, way: Way) -> bool:
        """Whether a cluster that is deployed already keeps its nodes."""
        return self.standing == Standing(region=region, zone_id=zone, purchases=way.purchases)

    def has_reservation(self, need: NodeNeed, region: str, zone: str) -> bool:
        """Whether the file names a reservation for these instances, and it is there."""
        place = self.reserved.get(need.group or "")
        return place is not None and place[0] == region and place[1] in (None, zone)


def rank(wanted: Wanted, markets: Iterable[RegionMarket]) -> tuple[Option, ...]:
    """Every option, the best first.

    Args:
        wanted: What they are judged by.
        markets: What AWS said of each Region.
    """
    options = [
        _with_commands(wanted, option)
        for market in markets
        for way in wanted.ways
        for option in _options(wanted, market, way)
    ]
    return tuple(sorted(options, key=lambda option: _order(option, wanted.standing)))


def _order(option: Option, standing: Standing | None) -> tuple[object, ...]:
    price = option.usd_per_hour if option.hours is None else option.usd_whole
    start = option.start
    return (
        option.verdict.rank,
        bool(option.obstacles) and not option.remediable,
        math.inf if price is None else price,
        start.timestamp() if start else 0.0,
        -(option.placement_score or 0),
        standing is not None and option.region != standing.region,
        standing is not None and option.zone_id != standing.zone_id,
        option.region,
        option.zone_id or "",
        option.way.name,
    )


def _with_commands(wanted: Wanted, option: Option) -> Option:
    option = replace(option, earliest=wanted.request.earliest)
    return replace(option, commands=commands_of(option, wanted.asked_at))


def _options(wanted: Wanted, market: RegionMarket, way: Way) -> Iterator[Option]:
    if isinstance(market.zones, AwsFailure):
        yield _unasked(wanted, market, way, market.zones)
        return
    types = _types(wanted, market)
    if "capacity-block" in way.purchases:
        yield from _block_options(wanted, market, way, types)
        return
    zones = [zone.zone_id for zone in market.zones]
    if nowhere := _offered_nowhere(types):
        parts = tuple(
            judge_part(kind, purchase, "", wanted.asked_at)
            for kind, purchase in zip(types, way.purchases, strict=True)
        )
        text = f"{', '.join(nowhere)} is not offered in the Region"
        yield Option(
            region=market.region,
            zone_id=None,
            way=way,
            hours=wanted.request.hours,
            parts=parts,
            obstacles=(text,),
        )
        return
    for zone in sorted(zones):
        yield _option(wanted, market, way, zone, _parts(wanted, market, way, zone))


def _types(wanted: Wanted, market: RegionMarket) -> list[TypeMarket]:
    by_need = {kind.need: kind for kind in market.types}
    return [by_need[need] for need in wanted.request.needs]


def _unasked(wanted: Wanted, market: RegionMarket, way: Way, failure: AwsFailure) -> Option:
    """A Region about which nothing is known, or that is off."""
    off = failure.kind is FailureKind.REGION_OFF
    words = "the Region is off for this account" if off else "the Region gave no answer"
    return Option(
        region=market.region,
        zone_id=None,
        way=way,
        hours=wanted.request.hours,
        obstacles=(words,) if off else (),
        remediable=off,
        doubts=() if off else (words,),
    )


def _offered_nowhere(types: Sequence[TypeMarket]) -> list[str]:
    return sorted({kind.need.instance_type for kind in types if kind.offered == frozenset()})


def _block_options(
    wanted: Wanted, market: RegionMarket, way: Way, types: Sequence[TypeMarket]
) -> Iterator[Option]:
    """One for each zone and window in which every need of a block has one."""
    blocks = [
        kind
        for kind, purchase in zip(types, way.purchases, strict=True)
        if purchase == "capacity-block"
    ]
    bare = Option(region=market.region, zone_id=None, way=way, hours=wanted.request.hours)
    if any(kind.blocks is None or isinstance(kind.blocks, AwsFailure) for kind in blocks):
        yield replace(bare, doubts=("which Capacity Blocks are on sale is unknown",))
        return
    sets = list(block_sets(blocks, wanted.request.hours))
    for found in sets:
        zone = next(iter(found.values())).zone_id
        yield _option(wanted, market, way, zone, _parts(wanted, market, way, zone, found))
    if not sets:
        wants = ", ".join(f"{kind.need.count} x {kind.need.instance_type}" for kind in blocks)
        together = " in one zone and window" if len(blocks) > 1 else ""
        text = f"no Capacity Block of {wants} is on sale{together} for that time"
        over = (over_block_size(kind.need, wanted.request.hours or 0) for kind in blocks)
        reasons = tuple(dict.fromkeys(filter(None, over)))
        yield replace(bare, obstacles=reasons or (text,))


def _parts(
    wanted: Wanted,
    market: RegionMarket,
    way: Way,
    zone: str,
    blocks: Mapping[NodeNeed, BlockOffering] | None = None,
) -> tuple[Part, ...]:
    pairs = zip(_types(wanted, market), way.purchases, strict=True)
    found = blocks or {}
    return tuple(
        replace(
            judge_part(kind, purchase, zone, wanted.asked_at, block=found.get(kind.need)),
            has_reservation=purchase == "on-demand-reservation"
            and wanted.has_reservation(kind.need, market.region, zone),
        )
        for kind, purchase in pairs
    )


def _option(
    wanted: Wanted, market: RegionMarket, way: Way, zone: str, parts: tuple[Part, ...]
) -> Option:
    """Everything about one zone, put together."""
    quotas, room = judge_quotas(market, parts, stays=wanted.stays(market.region, zone, way))
    hard: list[str] = []
    doubts: list[str] = []
    for part in parts:
        if part.offered == "no":
            hard.append(f"{part.need.instance_type} is not offered in {zone}")
        elif part.offered == "unknown":
            doubts.append(f"whether {zone} offers {part.need.instance_type} is unknown")
        if part.purchase == "spot" and part.offered != "no" and part.spot is None:
            _judge_spot(market, part, zone, hard, doubts)
        if part.spot is not None and _below(part, part.spot.current_usd):
            hard.append(
                f"max_price_usd {part.need.max_price_usd} is below the current "
                f"{part.spot.current_usd}"
            )
    _judge_zone(market, zone, hard, doubts)
    _judge_services(wanted, market, hard, doubts)
    doubts += (*wanted.misfits.get(market.region, ()), *wanted.misfits.get(zone, ()))
    lacking = [use for use in quotas if use.room == "no"]
    soft = [_lack(use) for use in lacking]
    if room == "unknown":
        doubts.append("the room in the vCPU quota is unknown")
    return Option(
        region=market.region,
        zone_id=zone,
        way=way,
        hours=wanted.request.hours,
        parts=parts,
        quotas=quotas,
        quota_room=room,
        obstacles=tuple(dict.fromkeys([*hard, *soft])),
        remediable=bool(soft) and not hard,
        doubts=tuple(dict.fromkeys(doubts)),
        notes=_notes(wanted, market, parts),
    )


def _lack(use: QuotaUse) -> str:
    own = f" ({use.own} of them by this cluster, until it has moved)" if use.own else ""
    return (
        f"{use.needed} vCPUs are needed beside {use.used} in use{own}, and {use.name} "
        f"({use.quota_code}) allows {use.limit:g} in the Region"
    )


def _judge_spot(
    market: RegionMarket, part: Part, zone: str, hard: list[str], doubts: list[str]
) -> None:
    """A type without a Spot price in a zone: EC2 has one of all that it sells as Spot there."""
    name = part.need.instance_type
    told = next(one.spot for one in market.types if one.need == part.need)
    known = find_instance_type(name)
    if known is not None and (judged := judge_spot(known)):
        severity, _ = judged
        text = f"{name} is not sold as Spot, the catalogue says"
        (hard if severity is Severity.ERROR else doubts).append(text)
    elif told is not None and not isinstance(told, AwsFailure):
        doubts.append(f"EC2 tells no Spot price of {name} in {zone}: perhaps it sells none there")
    elif part.need.max_price_usd is not None:
        most = part.need.max_price_usd
        doubts.append(f"whether max_price_usd {most} is below the current price is unknown")
    elif known is None:
        doubts.append(f"whether {name} is sold as Spot is unknown")


def _below(part: Part, dollars: float) -> bool:
    """Whether the file pays less than so much for a Spot instance and hour."""
    most = part.need.max_price_usd
    return most is not None and most < dollars


def _judge_zone(market: RegionMarket, zone: str, hard: list[str], doubts: list[str]) -> None:
    if isinstance(market.zones, AwsFailure):
        return
    state = next((z.state for z in market.zones if z.zone_id == zone), "")
    if state == "unavailable":
        hard.append(f"{zone} is unavailable, AWS says")
    elif state and state not in _GOOD_ZONES:
        doubts.append(f"{zone} is {state}, AWS says")


def _judge_services(
    wanted: Wanted, market: RegionMarket, hard: list[str], doubts: list[str]
) -> None:
    for service in wanted.request.services:
        if isinstance(market.services, AwsFailure) or service not in market.services:
            doubts.append(f"whether the Region has {service}, which the file needs, is unknown")
        elif not market.services[service]:
            hard.append(f"the Region lacks {service}, which the file needs")


def _notes(wanted: Wanted, market: RegionMarket, parts: Sequence[Part]) -> tuple[str, ...]:
    notes: list[str] = []
    data = wanted.request.data_region
    if data is not None and data != market.region:
        notes.append(
            f"the data is in {data}: its transfer between Regions is billed by the GB, and no "
            "price here includes it"
        )
        notes += wanted.data_uses
    for part in parts:
        if part.has_reservation:
            notes.append(f"{part.need.group}: in the reservation that the file names")
        elif part.purchase == "spot":
            notes.append("Spot instances can be taken back, with two minutes' notice")
            notes += _of_maximum(part)
        elif part.purchase == "on-demand-reservation":
            notes.append(_of_reservation(wanted))
    return tuple(dict.fromkeys([*notes, *_of_catalogue(wanted, market.region)]))


def _of_reservation(wanted: Wanted) -> str:
    note = "a reservation bills from its creation to its end, used or not"
    start = wanted.request.earliest
    if start is None or start <= wanted.asked_at:
        return note
    hours = math.ceil((start - wanted.asked_at).total_seconds() / 3600)
    return (
        f"{note}: make it when it is wanted; made now, it bills about {count_of(hours, 'hour')} "
        "more, which no price here includes"
    )


def _of_maximum(part: Part) -> Iterator[str]:
    """A price that has been above the file's maximum and may be so again, which ends the nodes."""
    history = part.spot
    if history is None or _below(part, history.current_usd):
        return
    if _below(part, history.highest_usd):
        yield (
            f"max_price_usd {part.need.max_price_usd} is below the highest price of the last "
            f"{history.days} days, {history.highest_usd}: EC2 takes instances back above the "
            "maximum"
        )


def _of_catalogue(wanted: Wanted, region: str) -> Iterator[str]:
    """What the catalogue knows a Region to lack, of which a file says more."""
    if not wanted.has_file and neuron_image_parameters_available(region) is False:
        yield (
            "the Region has no parameters of Neuron images, the catalogue says: write an `ami_id` "
            "or a parameter of your own"
        )
