"""How a plan is said to a person: the ranked table, remarks, commands."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from trnkit.cli.plan_commands import command_lines, place_words
from trnkit.cli.plan_table import table_lines
from trnkit.report.words import count_of, on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from trnkit.operations.planning.options import Option, Part
    from trnkit.operations.planning.plan import Plan
    from trnkit.operations.planning.request import PlanRequest
    from trnkit.operations.planning.writing import Written

_FEW = 3
_MINUTE = "%Y-%m-%d %H:%M UTC"


def plan_lines(plan: Plan, limit: int, width: int | None = None) -> list[str]:
    """The lines of a plan.

    Args:
        plan: The plan.
        limit: How many options are shown.
        width: Columns of the terminal, for the table; as wide as it is when left out.
    """
    shown = plan.options[:limit]
    lines = [*([""] if plan.file else []), *_subject(plan)]
    if not plan.options:
        return [*lines, _verdict(plan)]
    if _is_nowhere(plan):
        reasons = [*plan.remarks, *_reasons(plan.options)]
        return [*lines, "", *reasons, *_unanswered(plan), "", _verdict(plan)]
    lines += ["", *table_lines(shown, width), *_rest(plan.options, limit)]
    lines += _section("", _remarks(shown, plan.asked_at))
    lines += _section("to have it (printed, never run):", command_lines(plan))
    lines += _unanswered(plan)
    lines += _section("", list(plan.remarks))
    return [*lines, "", _verdict(plan)]


def _is_nowhere(plan: Plan) -> bool:
    """Whether each of several Regions lacks it whole: a row for each would say it once more."""
    lost = all(
        option.zone_id is None and option.obstacles and not option.remediable
        for option in plan.options
    )
    return lost and len({option.region for option in plan.options}) > 1


def _reasons(options: Sequence[Option]) -> list[str]:
    """Each reason once, with the Regions that it holds of."""
    found: dict[str, dict[str, None]] = {}
    for option in options:
        for text in option.obstacles:
            found.setdefault(text, {})[option.region] = None
    where = {
        text: ", ".join(regions) if len(regions) <= _FEW else count_of(len(regions), "Region")
        for text, regions in found.items()
    }
    return [f"{regions}: {text}" for text, regions in where.items()]


def _unanswered(plan: Plan) -> list[str]:
    title = "unanswered, and unknown therefore:"
    return _section(title, [f"  {one.words()}" for one in plan.unanswered])


def _section(title: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    return ["", *([title] if title else []), *lines]


def _subject(plan: Plan) -> list[str]:
    request = plan.request
    if request is None:
        return []
    wants = ", ".join(
        f"{need.count} x {need.instance_type}" + (f" ({need.group})" if need.group else "")
        for need in request.needs
    )
    hours = f" for {count_of(request.hours, 'hour')}" if request.hours else ""
    together = ", all in one zone" if len(request.needs) > 1 else ""
    return [
        f"{wants}{hours}{_window(request)}{together}: {count_of(len(plan.options), 'option')} in "
        f"{count_of(len(request.regions), 'Region')}"
    ]


def _window(request: PlanRequest) -> str:
    """From when to when it may start, where that was said."""
    first, last = (
        f"{moment.astimezone(UTC):{_MINUTE}}" if moment else ""
        for moment in (request.earliest, request.latest)
    )
    if first and last:
        return f", to start from {first} to {last}"
    if first:
        return f", to start {first} or later"
    return f", to start {last} or earlier" if last else ""


def _rest(options: Sequence[Option], limit: int) -> list[str]:
    further = options[limit:]
    if not further:
        return []
    lost = sum(option.verdict == "cannot" for option in further)
    which = f", {lost} of which cannot be had" if lost else ""
    if lost == len(further):
        which = ", none of which can be had"
    return [f"{count_of(len(further), 'further option')}{which}: --limit {len(options)} shows all"]


def _remarks(options: Sequence[Option], asked_at: datetime) -> list[str]:
    """What the table has no room for; what several options have in common is said once."""
    numbers: dict[str, list[int]] = {}
    for number, option in enumerate(options, start=1):
        for text in remarks_of(option, asked_at):
            numbers.setdefault(text, []).append(number)
    return [f"{_ranges(found)}: {text}" for text, found in numbers.items()]


def _ranges(numbers: Sequence[int]) -> str:
    """`1-3, 7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def remarks_of(option: Option, asked_at: datetime) -> list[str]:
    """What is said of one option beside its numbers.

    Args:
        option: The option.
        asked_at: When AWS was asked.
    """
    has_types = len({part.need.instance_type for part in option.parts}) > 1
    parts: list[str] = []
    for part in option.parts:
        of_type = f"{part.need.instance_type}: " if has_types else ""
        of_group = f"{part.need.group}: " if len(option.parts) > 1 else ""
        parts += _part_remarks(part, asked_at, of_type=of_type, of_group=of_group)
    return [*option.obstacles, *option.doubts, *dict.fromkeys(parts), *option.notes]


def _part_remarks(part: Part, asked_at: datetime, *, of_type: str, of_group: str) -> Iterable[str]:
    if part.block is not None:
        wait = (part.block.start - asked_at).total_seconds() / 3600
        fee = part.block.upfront_usd
        cost = "a fee that AWS does not tell in USD" if fee is None else f"a fee of ${fee:,.2f}"
        yield (
            f"{of_group}block of {part.block.count} for {part.block.hours} h "
            f"from {part.block.start:{_MINUTE}} to {part.block.end:{_MINUTE}}, "
            f"begins in {max(0.0, wait):.0f} h, {cost} at the purchase"
        )
    if part.spot is not None:
        low, high = f"${part.spot.lowest_usd:,.4f}", f"${part.spot.highest_usd:,.4f}"
        score = part.placement_score
        more = "" if score is None else f", placement score {score} of 10"
        yield f"{of_type}Spot was {low} to {high} in {count_of(part.spot.days, 'day')}{more}"
    elif part.placement_score is not None:
        yield f"{of_type}placement score {part.placement_score} of 10"
    if part.usd_per_hour is None and part.offered != "no" and part.block is None:
        yield f"no price of {part.need.instance_type} is known, which is not a price of 0"
    elif part.price_source and part.block is None and part.spot is None:
        yield f"price: {part.price_source}, {part.price_as_of}"


def _verdict(plan: Plan) -> str:
    if not plan.options:
        return "AWS was not asked: correct the file first"
    if plan.found:
        best = plan.options[0]
        where = place_words(best) + (_without_spot(plan) if best.way.name == "spot" else "")
        return f"best: {where}, as far as was asked; no answer of AWS promises capacity"
    unknown = sum(option.verdict == "perhaps" for option in plan.options)
    if unknown:
        return f"nothing can be had for certain: {count_of(unknown, 'option')} perhaps"
    if len(plan.options) == 1:
        return "the one option cannot be had"
    return f"none of {len(plan.options)} options can be had"


def _without_spot(plan: Plan) -> str:
    """The best of what stays: Spot leads nearly every table, and can be taken back."""
    others = (
        (number, option)
        for number, option in enumerate(plan.options, start=1)
        if option.verdict == "can" and option.way.name != "spot"
    )
    number, option = next(others, (0, None))
    return f"; without Spot: {number}, {place_words(option)}" if option else ""


def written_lines(written: Written) -> list[str]:
    """What was put into the cluster file.

    Args:
        written: What became of it.
    """
    if not written.changes:
        return [f"{on_one_line(written.file)} says option {written.option} already"]
    lines = [f"wrote option {written.option} into {on_one_line(written.file)}:"]
    lines += [f"  {change}" for change in written.changes]
    return [*lines, *(f"  warning: {warning}" for warning in written.warnings)]
