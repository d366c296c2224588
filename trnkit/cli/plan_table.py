"""The ranked table of a plan, and what of it a narrow terminal has no room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.report.words import columns

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from trnkit.operations.planning.options import Option

    Rows: TypeAlias = list[tuple[str, ...]]

_HEAD: tuple[str, ...] = ("#", "had", "region", "zone", "buy", "quota", "$/node-h", "$/chip-h")
_NUMBERS = ("#", "$/node-h", "$/chip-h", "$ whole", "$/h all")
"""Columns of numbers, which are aligned on the right."""
_BUY, _TWINS, _BOTH = 4, ("on-demand", "on-demand-reservation"), "on-demand, reserved"
_SHORT = {_BOTH: "on-demand+res", _TWINS[1]: "reservation", "not needed": "n/a"}
_LESS = ("$/chip-h", "$/node-h", "quota", "zone")
"""What is left out for the room, the first first; commands and remarks below have the place."""
_UNKNOWN = "unknown"


def table_lines(options: Sequence[Option], width: int | None = None) -> list[str]:
    """The table, and a line about the columns that it lacks.

    Args:
        options: The options, in their order.
        width: Columns of the terminal; all that there is when left out.
    """
    rows = _rows(options)
    lines = _aligned(rows)
    if width is None or _fits(lines, width):
        return lines
    rows = [tuple(_SHORT.get(cell, cell) for cell in row) for row in rows]
    lines = _aligned(rows)
    lacking: list[str] = []
    for name in _LESS:
        if _fits(lines, width):
            break
        lacking.append(name)
        at = rows[0].index(name)
        rows = [(*row[:at], *row[at + 1 :]) for row in rows]
        lines = _aligned(rows)
    if lacking:
        lines.append(f"without {', '.join(lacking)} in {width} columns")
    return lines


def _fits(lines: Sequence[str], width: int) -> bool:
    return max(map(len, lines)) <= width


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    right = {at for at, name in enumerate(rows[0]) if name in _NUMBERS}
    aligned = [
        [cell.rjust(widths[at]) if at in right else cell for at, cell in enumerate(row)]
        for row in rows
    ]
    return columns(aligned).split("\n")


def _rows(options: Sequence[Option]) -> Rows:
    has_hours = any(option.hours for option in options)
    rows = [(*_HEAD, "$ whole" if has_hours else "$/h all")]
    for number, option in enumerate(options, start=1):
        node, chip = _unit_prices(option)
        rows.append(
            (
                str(number),
                "yes" if option.verdict == "can" else _said(option),
                option.region,
                option.zone_id or "-",
                option.way.name,
                _quota(option),
                node,
                chip,
                _money(option.usd_whole if option.hours else option.usd_per_hour, 2),
            )
        )
    return _twins_in_one(rows)


def _twins_in_one(rows: Rows) -> Rows:
    """On-Demand and its reservation in one row, where nothing but the way to buy differs."""
    found = list(rows[:1])
    for row in rows[1:]:
        last = found[-1]
        is_twin = (last[_BUY], row[_BUY]) == _TWINS
        if is_twin and (last[1:_BUY], last[_BUY + 1 :]) == (row[1:_BUY], row[_BUY + 1 :]):
            found[-1] = (f"{last[0]}-{row[0]}", *row[1:_BUY], _BOTH, *row[_BUY + 1 :])
        else:
            found.append(row)
    return found


def _said(option: Option) -> str:
    return "no" if option.verdict == "cannot" else option.verdict.value


def _quota(option: Option) -> str:
    """The room, or that it does not matter where nothing is offered."""
    return option.quota_room if option.parts and option.zone_id else "-"


def _unit_prices(option: Option) -> tuple[str, str]:
    """Of a node and of a chip; several types have no price in common."""
    if len({part.need.instance_type for part in option.parts}) > 1 or not option.parts:
        return "-", "-"
    if len({part.usd_per_hour for part in option.parts}) > 1:
        return "-", "-"
    part = option.parts[0]
    return _money(part.usd_per_hour, 4), _money(part.usd_per_chip_hour, 4)


def _money(value: float | None, digits: int) -> str:
    return _UNKNOWN if value is None else f"{value:,.{digits}f}"
