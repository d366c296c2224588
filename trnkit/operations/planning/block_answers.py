"""Capacity Blocks that EC2 offers: which answer the question.

An offer that contradicts what was asked, or itself, is no block that can be had; and when EC2 tells
nothing else, it has not said that none is on sale.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from trnkit.aws.ec2_blocks import DESCRIBE_CAPACITY_BLOCK_OFFERINGS
from trnkit.aws.failures import unusable_failure
from trnkit.aws.told_numbers import told_number
from trnkit.operations.planning.market import BlockOffering

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from trnkit.aws.ec2_blocks import CapacityBlockOffering
    from trnkit.operations.planning.blocks import BlockQuestion
    from trnkit.operations.planning.market import Told

_ID = re.compile(r"[A-Za-z0-9-]{1,64}")
# All blocks end at one time of day, so that one may be this much shorter than asked.
_SHORTER = timedelta(days=1)
_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockAnswer:
    """What EC2 offers for a question.

    Attributes:
        blocks: Those that fit, by start; a failure when EC2 told nothing but contradictions.
        remark: Which others contradict the question, and how; empty when none does.
    """

    blocks: Told[tuple[BlockOffering, ...]] = ()
    remark: str = ""


class _ContradictionError(Exception):
    """Why an offer is no answer, in words that follow its name."""


def block_answer(
    question: BlockQuestion,
    told: Iterable[CapacityBlockOffering],
    zone_ids: Mapping[str, str],
    *,
    region: str,
    now: datetime,
) -> BlockAnswer:
    """The blocks that fit.

    Args:
        question: What was asked.
        told: What EC2 answered, by start.
        zone_ids: Zone name -> id, of the Region's Availability Zones; Local Zones are left out.
        region: The Region.
        now: When it was asked.
    """
    blocks: dict[str, BlockOffering] = {}
    wrong: list[str] = []
    for offering in told:
        try:
            block = _block(question, offering, zone_ids, region, now)
        except _ContradictionError as error:
            wrong.append(f"{_name(offering)} {error}")
        else:
            if block is not None:
                blocks.setdefault(block.offering_id, block)
    if not wrong:
        return BlockAnswer(blocks=tuple(blocks.values()))
    named = list(dict.fromkeys(wrong))[:_NAMED]
    more = len(wrong) - len(named)
    words = ", ".join([*named, *([f"and {more} more"] if more else [])])
    if blocks:
        remark = f"offers of Capacity Blocks in {region} that cannot be meant are left out: {words}"
        return BlockAnswer(blocks=tuple(blocks.values()), remark=remark)
    asked = DESCRIBE_CAPACITY_BLOCK_OFFERINGS
    about = question.need.instance_type
    return BlockAnswer(
        blocks=unusable_failure(asked.service, asked.name, region, about, lacking=words)
    )


def _name(offering: CapacityBlockOffering) -> str:
    known = offering.offering_id and _ID.fullmatch(offering.offering_id)
    return f"offer {offering.offering_id}" if known else "an offer"


def _block(
    question: BlockQuestion,
    offering: CapacityBlockOffering,
    zone_ids: Mapping[str, str],
    region: str,
    now: datetime,
) -> BlockOffering | None:
    """The block; None when it is another than was asked for and no contradiction.

    Raises:
        _ContradictionError: It cannot be meant.
    """
    zone_name = offering.zone_name or ""
    if zone_name.startswith(f"{region}-"):
        return None  # A Local Zone, or the like.
    if not offering.offering_id or not _ID.fullmatch(offering.offering_id):
        raise _ContradictionError("has no id that could be bought")
    if zone_name not in zone_ids:
        raise _ContradictionError(
            f"is in {zone_name!r}, no zone of the Region" if zone_name else "has no zone"
        )
    _refuse_other_things(question, offering)
    start, end, hours = _times(question, offering, now)
    if not question.may_start(start):
        return None
    return BlockOffering(
        offering_id=offering.offering_id,
        zone_id=zone_ids[zone_name],
        start=start,
        end=end,
        hours=hours,
        count=_instances(question, offering),
        upfront_usd=_dollars(offering),
        ultraserver_type=offering.ultraserver_type,
    )


def _refuse_other_things(question: BlockQuestion, offering: CapacityBlockOffering) -> None:
    """Raise when it consists of something else; what EC2 does not say is as asked."""
    server, wanted = question.server, question.need.instance_type
    if server is not None:
        things, count = "UltraServers", offering.ultraserver_count
        kind, wanted = offering.ultraserver_type, server.type_name
    else:
        things, count = "instances", offering.instance_count
        kind = offering.ultraserver_type or offering.instance_type
    if kind not in (None, wanted):
        raise _ContradictionError(f"is of {kind!r}, not of {wanted}")
    if count not in (None, question.count):
        raise _ContradictionError(f"has {count} {things}, not {question.count}")


def _times(
    question: BlockQuestion, offering: CapacityBlockOffering, now: datetime
) -> tuple[datetime, datetime, int]:
    """Start, end and hours. A block that has begun may be on sale, for the time that is left."""
    start, end, hours = offering.start, offering.end, offering.hours
    if start is None or end is None or hours is None:
        raise _ContradictionError(f"has no {'start' if start is None else 'end'}")
    if end <= start:
        raise _ContradictionError("ends before it starts")
    if end <= now:
        raise _ContradictionError("has ended")
    left = min(end - max(start, now), timedelta(hours=hours))
    if left < timedelta(hours=question.hours) - _SHORTER or hours <= 0:
        whole = left // timedelta(hours=1)
        raise _ContradictionError(f"has {whole} hours, where {question.hours} were asked for")
    return start, end, hours


def _instances(question: BlockQuestion, offering: CapacityBlockOffering) -> int:
    if offering.ultraserver_count and question.server:
        return offering.ultraserver_count * question.server.instances
    return offering.instance_count or question.need.count


def _dollars(offering: CapacityBlockOffering) -> float | None:
    """A fee of nothing is unknown: no block is given away."""
    return (told_number(offering.upfront_fee) or None) if offering.currency == "USD" else None
