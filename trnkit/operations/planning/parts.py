"""One need of an option: whether it is offered there, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure
from trnkit.catalog import find_instance_type
from trnkit.operations.planning.market import Price
from trnkit.operations.planning.options import Part

if TYPE_CHECKING:
    from datetime import datetime

    from trnkit.operations.planning.market import BlockOffering, TypeMarket
    from trnkit.operations.planning.options import Answer
    from trnkit.operations.planning.request import Purchase

SPOT_SOURCE = "Spot price history"
BLOCK_SOURCE = "Capacity Block offering"


def judge_part(
    kind: TypeMarket,
    purchase: Purchase,
    zone: str,
    asked_at: datetime,
    *,
    block: BlockOffering | None = None,
) -> Part:
    """What AWS said of one type, in one zone, bought in one way.

    Args:
        kind: What AWS said.
        purchase: How it is bought.
        zone: The zone's id.
        asked_at: When AWS was asked, which is the date of prices without one.
        block: The Capacity Block that would be bought.
    """
    known = find_instance_type(kind.need.instance_type)
    chips = known.chips if known else None
    if block is not None:
        return Part(
            need=kind.need,
            purchase=purchase,
            offered="yes",
            chips=chips,
            usd_per_hour=_block_price(block),
            price_source=BLOCK_SOURCE,
            price_as_of=asked_at.date(),
            block=block,
        )
    bare = Part(need=kind.need, purchase=purchase, offered=_offered(kind, zone), chips=chips)
    return _spot(bare, kind, zone, asked_at) if purchase == "spot" else _on_demand(bare, kind)


def _offered(kind: TypeMarket, zone: str) -> Answer:
    if isinstance(kind.offered, AwsFailure):
        return "unknown"
    return "yes" if zone in kind.offered else "no"


def _block_price(block: BlockOffering) -> float | None:
    """Of an instance and hour, for comparing: the fee is paid at once."""
    hours = (block.end - block.start).total_seconds() / 3600
    if block.upfront_usd is None or hours <= 0 or block.count <= 0:
        return None
    return block.upfront_usd / (hours * block.count)


def _on_demand(bare: Part, kind: TypeMarket) -> Part:
    if not isinstance(kind.on_demand, Price):
        return bare
    return Part(
        need=bare.need,
        purchase=bare.purchase,
        offered=bare.offered,
        chips=bare.chips,
        usd_per_hour=kind.on_demand.usd_per_hour,
        price_source=kind.on_demand.source,
        price_as_of=kind.on_demand.as_of,
    )


def _spot(bare: Part, kind: TypeMarket, zone: str, asked_at: datetime) -> Part:
    history = None
    if kind.spot is not None and not isinstance(kind.spot, AwsFailure):
        history = next((one for one in kind.spot if one.zone_id == zone), None)
    score = None
    if kind.placement_scores is not None and not isinstance(kind.placement_scores, AwsFailure):
        score = kind.placement_scores.get(zone)
    return Part(
        need=bare.need,
        purchase=bare.purchase,
        offered=bare.offered,
        chips=bare.chips,
        usd_per_hour=history.current_usd if history else None,
        price_source=SPOT_SOURCE if history else None,
        price_as_of=asked_at.date() if history else None,
        spot=history,
        placement_score=score,
    )
