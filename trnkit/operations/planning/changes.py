"""What an option changes in a cluster file, and which ids of the file belong to its Region."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trnkit.config.yaml_edit import value_at
from trnkit.config.yaml_reader import format_path
from trnkit.errors import UsageError
from trnkit.layout.capacity import CAPACITY_KEYS, RESERVATION_SOURCES, format_utc
from trnkit.layout.zones import named_zone_id, zone_key
from trnkit.operations.planning.buying import reservation_end

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from trnkit.config import ClusterConfig, ClusterFile
    from trnkit.config.yaml_edit import Change
    from trnkit.config.yaml_reader import Path
    from trnkit.operations.planning.market import BlockOffering
    from trnkit.operations.planning.options import Option

PRINTED_ID = "<the id that the command prints>"
GROUP_OF_RESERVATIONS = "<a resource group of the reservations>"
EXAMPLES = {
    PRINTED_ID: "cr-0123456789abcdef0",
    GROUP_OF_RESERVATIONS: "arn:aws:resource-groups:us-east-2:111122223333:group/example",
}
"""What stands for a value that nobody knows before the purchase, and one of its shape."""
_ID = re.compile(r"(vpc|subnet|sg|rtb|ami|cr|fs|snap|vol|eni|lt|pl)-([0-9a-f]{8}|[0-9a-f]{17})")
_ARN = re.compile(r"arn:[a-z-]+:[a-z0-9-]*:(?P<region>[a-z0-9-]+):.*")


class CannotWriteError(UsageError):
    """The choice is not in the file; the message says why.

    Attributes:
        by_hand: What to do by hand, a line for each value; () where there is nothing to do.
    """

    def __init__(self, message: str, by_hand: Iterable[str] = ()) -> None:
        """Keep the lines beside the message, which is one line."""
        super().__init__(message)
        self.by_hand = tuple(by_hand)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChanges:
    """What becomes of a cluster file.

    Attributes:
        values: Values to write.
        removed: Keys that must go, because the new way to buy does not have them.
    """

    values: tuple[Change, ...]
    removed: tuple[Path, ...]

    def lines(self) -> list[str]:
        """A line for each of them, for the user's own hand."""
        told = [f"{format_path(path)}: {value}" for path, value in self.values]
        return [*told, *(f"remove {format_path(path)}" for path in self.removed)]


def file_changes(
    cluster: ClusterFile, option: Option, asked_at: datetime, *, bought: bool = False
) -> FileChanges:
    """All that makes a file say an option.

    Args:
        cluster: The file.
        option: What was chosen.
        asked_at: When AWS was asked.
        bought: As it is after the option's own commands have made what they make; otherwise a
            deployment makes the reservations.

    Raises:
        CannotWriteError: A reservation would have no end.
    """
    values = (
        *_place_changes(cluster.config, option),
        *_capacity_changes(cluster.config, option, asked_at, bought=bought),
    )
    return FileChanges(values=values, removed=tuple(_left_over(cluster, values)))


def _place_changes(config: ClusterConfig, option: Option) -> Iterator[Change]:
    if config.region != option.region:
        yield ("region",), option.region
    if named_zone_id(config) != option.zone_id and option.zone_id:
        yield zone_key(config), option.zone_id


def _capacity_changes(
    config: ClusterConfig, option: Option, asked_at: datetime, *, bought: bool
) -> Iterator[Change]:
    parts = {part.need.group: part for part in option.parts}
    for index, group in enumerate(config.compute.node_groups):
        part = parts.get(group.name)
        if part is None:
            continue
        place: Path = ("compute", "node_groups", index, "capacity")
        is_new = part.purchase != group.capacity.type
        if is_new:
            yield (*place, "type"), part.purchase
        if part.block is not None:
            yield from _block_keys(place, part.block)
        elif part.purchase != "on-demand-reservation":
            continue
        elif bought and not part.has_reservation:
            yield (*place, "capacity_reservation_id"), PRINTED_ID
        elif is_new:
            yield (*place, "create", "end_date"), _end_of(option, asked_at)


def _block_keys(place: Path, block: BlockOffering) -> Iterator[Change]:
    """A block has its reservation's id only when it is bought, which trnkit never does."""
    if block.ultraserver_type is None:
        yield (*place, "capacity_reservation_id"), PRINTED_ID
    else:
        key = "capacity_reservation_resource_group_arn"
        yield (*place, key), GROUP_OF_RESERVATIONS
    yield (*place, "start"), format_utc(block.start)
    yield (*place, "end"), format_utc(block.end)


def _end_of(option: Option, asked_at: datetime) -> str:
    if option.hours is None:
        raise CannotWriteError(
            "nothing was written: a reservation bills until its end, used or not: say with "
            "--hours when that is, or write `unlimited: true` by hand"
        )
    return format_utc(reservation_end(asked_at, option.hours, option.earliest))


def _left_over(cluster: ClusterFile, values: Iterable[Change]) -> Iterator[Path]:
    """Keys of the file that stand in the way of the new values of their group's capacity."""
    given: dict[Path, dict[str, str]] = {}
    for path, value in values:
        if "capacity" in path:
            given.setdefault(path[:4], {})[str(path[4])] = value
    for place, new in given.items():
        written = value_at(cluster.document.data, place)
        group = cluster.config.compute.node_groups[int(place[2])]
        kept = {"type", *CAPACITY_KEYS[new.get("type", group.capacity.type)]}
        if not kept.isdisjoint(RESERVATION_SOURCES) and not new.keys().isdisjoint(
            RESERVATION_SOURCES
        ):
            kept -= {*RESERVATION_SOURCES} - new.keys()
        if "start" in new:
            kept.discard("launch")  # Of the block before, which may have been active already.
        for key in written if isinstance(written, dict) else ():
            if key not in kept:
                yield (*place, str(key))


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
