"""How the options of a plan are had: commands to run, and what to write into a file after them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.layout.capacity import format_utc
from trnkit.operations.planning.changes import (
    GROUP_OF_RESERVATIONS,
    PRINTED_ID,
    file_changes,
)
from trnkit.operations.planning.writing import lines_by_hand
from trnkit.report.words import on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.operations.planning.options import Option
    from trnkit.operations.planning.plan import Plan


def place_words(option: Option) -> str:
    """Way to buy, Region and zone of an option."""
    return f"{option.way.name} in {option.region} {option.zone_id or ''}".rstrip()


def command_lines(plan: Plan) -> list[str]:
    """Of the best option of each way to buy; of one about which nothing can be done, nothing.

    Args:
        plan: The plan.
    """
    best: dict[str, tuple[int, Option]] = {}
    for number, option in enumerate(plan.options, start=1):
        if option.verdict != "cannot" or option.remediable:
            best.setdefault(option.way.name, (number, option))
    lines: list[str] = []
    for number, option in best.values():
        told = [*option.commands, *_afterwards(plan, option), *_steps(option, plan)]
        if told:
            lines += [f"{number}: {place_words(option)}", *(f"  {line}" for line in told)]
    return lines


def _afterwards(plan: Plan, option: Option) -> Iterable[str]:
    """What follows the commands: another plan, or what was bought is put into the file."""
    if not option.commands:
        return
    if not option.parts:
        yield "then plan again when the Region is on"
    elif option.remediable:
        yield "then plan again when AWS has granted it: today's offers and ends are over by then"
    elif plan.file is not None:
        yield f"then write into {on_one_line(plan.file.cluster.file)} by hand:"
        wanted = file_changes(plan.file.cluster, option, plan.asked_at, bought=True)
        yield from (f"  {line}" for line in lines_by_hand(plan.file, wanted))
    else:
        yield "then write into a cluster file:"
        yield from (f"  {line}" for line in _lines_without_file(option))


def _lines_without_file(option: Option) -> Iterable[str]:
    yield f"region: {option.region}"
    yield f"network.availability_zone_id: {option.zone_id}"
    (part,) = option.parts  # Without a file one type is wanted, in one way.
    place = "compute.node_groups[0].capacity"
    yield f"{place}.type: {part.purchase}"
    if part.block is not None and part.block.ultraserver_type is not None:
        key = "capacity_reservation_resource_group_arn"
        yield f"{place}.{key}: {GROUP_OF_RESERVATIONS}"
    else:
        yield f"{place}.capacity_reservation_id: {PRINTED_ID}"
    if part.block is not None:
        yield f"{place}.start: {format_utc(part.block.start)}"
        yield f"{place}.end: {format_utc(part.block.end)}"


def _steps(option: Option, plan: Plan) -> Iterable[str]:
    """What there is to know beside the commands, or in place of them."""
    if not option.parts or option.remediable:
        return
    bought = {part.purchase for part in option.parts if not part.has_reservation}
    if "on-demand-reservation" in bought:
        if option.hours is None:
            yield "say --hours: a reservation bills until its end, used or not"
        if plan.file is not None:
            yield "or let the deployment make it (capacity.create of the file): never both"
    if launched := sorted(bought & {"on-demand", "spot"}):
        which = f" for {' and '.join(launched)}" if launched != sorted(bought) else ""
        yield f"nothing to buy{which}: EC2 gives the instances at their launch, if it has them then"
