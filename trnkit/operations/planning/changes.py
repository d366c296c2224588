"""What an option changes in a cluster file, and which ids of the file belong to its Region."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trnkit.config.yaml_reader import format_path
from trnkit.errors import UsageError
from trnkit.layout.capacity import format_utc
from trnkit.operations.planning.buying import reservation_end

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from trnkit.config import ClusterConfig
    from trnkit.config.yaml_edit import Change
    from trnkit.config.yaml_reader import Path
    from trnkit.operations.planning.market import BlockOffering
    from trnkit.operations.planning.options import Option

_ID = re.compile(r"(vpc|subnet|sg|rtb|ami|cr|fs|snap|vol|eni|lt|pl)-([0-9a-f]{8}|[0-9a-f]{17})")
_ARN = re.compile(r"arn:[a-z-]+:[a-z0-9-]*:(?P<region>[a-z0-9-]+):.*")


class CannotWriteError(UsageError):
    """The choice is not in the file; the message says why, and what to do by hand."""


def capacity_changes(config: ClusterConfig, option: Option, asked_at: datetime) -> list[Change]:
    """What the way to buy changes in the node groups.

    Args:
        config: The file.
        option: What was chosen.
        asked_at: When AWS was asked.

    Raises:
        CannotWriteError: The way to buy has an id or an end that nobody knows yet.
    """
    parts = {part.need.group: part for part in option.parts}
    changes: list[Change] = []
    for index, group in enumerate(config.compute.node_groups):
        part = parts.get(group.name)
        if part is None:
            continue
        place: Path = ("compute", "node_groups", index, "capacity")
        if part.block is not None:
            raise CannotWriteError(_block_by_hand(place, option, part.block))
        if part.purchase == group.capacity.type:
            continue
        changes.append(((*place, "type"), part.purchase))
        if part.purchase == "on-demand-reservation":
            if option.hours is None:
                raise CannotWriteError(
                    "nothing was written: a reservation bills until its end, used or not: say with "
                    "--hours when that is, or write `unlimited: true` by hand"
                )
            end = format_utc(reservation_end(asked_at, option.hours))
            changes.append(((*place, "create", "end_date"), end))
    return changes


def _block_by_hand(place: Path, option: Option, block: BlockOffering) -> str:
    """A block has its reservation's id only when it is bought, which trnkit never does."""
    given = (
        "capacity_reservation_id: the id that the purchase prints"
        if block.ultraserver_type is None
        else "capacity_reservation_resource_group_arn: a resource group of the reservations"
    )
    times = f"start: {format_utc(block.start)}, end: {format_utc(block.end)}"
    return (
        "nothing was written: a Capacity Block has an id only when it is bought; buy it with the "
        f"command of the plan, then write by hand: region: {option.region}, "
        f"network.availability_zone_id: {option.zone_id}, {format_path(place)}: "
        f"{{type: capacity-block, {given}, {times}}}"
    )


def moved_ids(config: ClusterConfig) -> list[tuple[str, str]]:
    """Values of the file that name something in its Region, with their places.

    Args:
        config: The file.
    """
    # Topics of budgets need not be in the cluster's Region: that is for the rules to judge.
    data = config.model_dump(exclude_defaults=True, exclude={"budget"})
    return [
        (format_path(path), value)
        for path, value in _texts(data, ())
        if _ID.fullmatch(value)
        or ((arn := _ARN.fullmatch(value)) and arn["region"] == config.region)
    ]


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*path, str(key)))
    elif isinstance(value, (list, tuple)):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*path, index))
