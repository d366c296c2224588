"""TRN210: a node group's capacity has the keys of its type, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.capacity import CAPACITY_KEYS, RESERVATION_SOURCES
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import CapacityConfig, ClusterConfig
    from trnkit.config.yaml_reader import Path


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        place = (*path, "capacity")
        yield from _foreign_keys(group.capacity, place)
        yield from _source(group.capacity, place)
        if group.capacity.type == "capacity-block":
            yield from _times(group.capacity, place)


def _foreign_keys(capacity: CapacityConfig, place: Path) -> Iterator[Violation]:
    """Keys of another type that somebody wrote; a written default changes nothing."""
    for key in type(capacity).model_fields:
        default = type(capacity).model_fields[key].default
        if key in ("type", *CAPACITY_KEYS[capacity.type]) or getattr(capacity, key) == default:
            continue
        owners = [kind for kind, keys in CAPACITY_KEYS.items() if key in keys]
        yield Violation(
            message=f"{format_path((*place, key))} belongs to the type {alternatives(owners)}; "
            f"the type is {capacity.type}",
            hint=f"remove it, or write `type: {owners[0]}`"
            if len(owners) == 1
            else "remove it, or write the type of the reservation",
            path=(*place, key),
        )


def _source(capacity: CapacityConfig, place: Path) -> Iterator[Violation]:
    possible = [key for key in RESERVATION_SOURCES if key in CAPACITY_KEYS[capacity.type]]
    given = [key for key in possible if getattr(capacity, key) is not None]
    if possible and len(given) != 1:
        got = alternatives(given, "and") if given else "none of them"
        yield Violation(
            message=f"{format_path(place)} of type {capacity.type} needs exactly one of "
            f"{alternatives(possible)}, got {got}",
            hint="keep one of them" if given else f"write `{possible[0]}:`",
            path=place,
        )


def _times(capacity: CapacityConfig, place: Path) -> Iterator[Violation]:
    missing = [key for key in ("start", "end") if getattr(capacity, key) is None]
    if missing:
        yield Violation(
            message=f"{format_path(place)} of type capacity-block needs start and end, and lacks "
            f"{alternatives(missing, 'and')}",
            hint="write the block's own times in UTC, as describe-capacity-reservations gives them",
            path=place,
        )


_GROUP = "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, capacity: "

RULE = ConfigRule(
    id="TRN210",
    title="capacity has the keys of its type, and no others",
    severity=Severity.ERROR,
    why="A Capacity Block, a reservation and Spot exclude each other; an option of another type "
    "would be ignored, and what was paid for would stay idle.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html",
    good=_GROUP + "{type: on-demand-reservation, "
    "capacity_reservation_id: cr-0123456789abcdef0}}]}\n",
    bad=_GROUP + "{type: spot, capacity_reservation_id: cr-0123456789abcdef0}}]}\n",
    check=_check,
)
