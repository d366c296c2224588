"""Capacity Blocks that serve several needs at once: one zone, one window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from trnkit.operations.planning.market import BlockOffering, NodeNeed, TypeMarket


def block_sets(
    kinds: Sequence[TypeMarket], hours: int | None
) -> Iterator[dict[NodeNeed, BlockOffering]]:
    """For each offering of the first need, the cheapest ones of the others that go with it.

    Args:
        kinds: What AWS said of each need that a block shall serve.
        hours: How long all of them are wanted together.

    Yields:
        Need -> its block; all in one zone, and together for `hours`, or for as
        long as the first one when it is shorter.
    """
    if not kinds:
        return
    first, *others = kinds
    for anchor in _offerings(first):
        found = {first.need: anchor}
        window = (anchor.start, anchor.end)
        least = anchor.hours if hours is None else min(hours, anchor.hours)
        for other in others:
            taken = {block.offering_id for block in found.values()}
            fitting = [
                block
                for block in _offerings(other)
                if block.zone_id == anchor.zone_id
                and block.offering_id not in taken
                and _hours(_common(window, block)) >= least
            ]
            if not fitting:
                break
            best = min(fitting, key=_price)
            window = _common(window, best)
            found[other.need] = best
        else:
            yield found


def _offerings(kind: TypeMarket) -> tuple[BlockOffering, ...]:
    if kind.blocks is None or isinstance(kind.blocks, AwsFailure):
        return ()
    return kind.blocks


def _common(window: tuple[datetime, datetime], block: BlockOffering) -> tuple[datetime, datetime]:
    return max(window[0], block.start), min(window[1], block.end)


def _hours(window: tuple[datetime, datetime]) -> float:
    return (window[1] - window[0]).total_seconds() / 3600


def _price(block: BlockOffering) -> tuple[bool, float, datetime]:
    return block.upfront_usd is None, block.upfront_usd or 0.0, block.start
