"""The picture: what had been spent, and who noticed when."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Axis = Callable[[float], float]

_WIDTH, _HEIGHT = 920, 520
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 40, 60
_ROW = 24
_LETTER = 6.4  # about as wide as one is


@dataclass(frozen=True)
class Mark:
    """Somebody notices: at one hour, or between two.

    Attributes:
        label: Who.
        first: Hours after the evening began.
        last: The same where it is known; None: not before the morning, if at all.
        stops: Whether it also stops the nodes.
    """

    label: str
    first: float
    last: float | None
    stops: bool = False


def draw(
    title: str,
    curves: Sequence[tuple[str, Sequence[tuple[float, float]]]],
    marks: Sequence[Mark],
    hours: float,
) -> str:
    """An SVG.

    Args:
        title: What it shows.
        curves: Name and points, hours and US dollars, of each curve.
        marks: Who notices, a row each.
        hours: Length of the axis.
    """
    most = max(usd for _, points in curves for _, usd in points) * 1.05
    floor = _HEIGHT - _BOTTOM - _ROW * len(marks)

    def x(hour: float) -> float:
        return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * hour / hours, 1)

    def y(usd: float) -> float:
        return round(floor - (floor - _TOP) * usd / most, 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'role="img" aria-label="{escape(title)}">',
        "<style>text{font:13px system-ui,sans-serif;fill:#1f2933}.s{font-size:12px}"
        ".g{stroke:#d4dae1}.c0{stroke:#b42318}.c1{stroke:#05603a}"
        "rect.page{fill:#fff}</style>",
        f'<rect class="page" width="{_WIDTH}" height="{_HEIGHT}"/>',
        f'<text x="{_LEFT}" y="24" font-weight="600">{escape(title)}</text>',
    ]
    parts += _grid(x, y, most, hours, floor)
    for number, (name, points) in enumerate(curves):
        path = " ".join(f"{x(hour)},{y(usd)}" for hour, usd in points)
        hour, usd = points[-1]
        parts.append(
            f'<polyline class="c{number}" fill="none" stroke-width="2.5" points="{path}"/>'
        )
        parts.append(
            f'<text x="{x(hour) - 6}" y="{y(usd) - 8}" text-anchor="end">'
            f"{escape(name)}: ${usd:,.0f}</text>"
        )
    for number, mark in enumerate(marks):
        parts += _row(mark, floor + 44 + number * _ROW, x, hours)
    return "\n".join([*parts, "</svg>", ""])


def _grid(x: Axis, y: Axis, most: float, hours: float, floor: float) -> list[str]:
    """Lines every six hours and at round amounts."""
    step = next(s for s in (1000, 2000, 2500, 5000, 10_000, 20_000, 50_000) if most / s <= 8)
    parts: list[str] = []
    for usd in range(0, int(most) + 1, step):
        parts.append(f'<path class="g" d="M{_LEFT} {y(usd)}H{_WIDTH - _RIGHT}"/>')
        parts.append(
            f'<text class="s" x="{_LEFT - 8}" y="{y(usd) + 4}" text-anchor="end">${usd:,}</text>'
        )
    for hour in range(0, int(hours) + 1, 6):
        parts.append(f'<path class="g" d="M{x(hour)} {_TOP}V{floor}"/>')
        parts.append(
            f'<text class="s" x="{x(hour)}" y="{floor + 16}" text-anchor="middle">+{hour} h</text>'
        )
    return parts


def _row(mark: Mark, y: float, x: Axis, hours: float) -> list[str]:
    """A dot, or a bar where a moment is known between two others only."""
    begin = x(min(mark.first, hours))
    last = hours if mark.last is None else min(mark.last, hours)
    colour = "#05603a" if mark.stops else "#175cd3"
    width = max(x(last) - begin, 0)
    right = begin + width
    on_left = right + 10 + len(mark.label) * _LETTER > _WIDTH
    at, anchor = (begin - 8, "end") if on_left else (right + 10, "start")
    shape = (
        f'<circle cx="{begin}" cy="{y - 4}" r="5" fill="{colour}"/>'
        if width < 1
        else f'<rect x="{begin}" y="{y - 9}" width="{width}" height="10" rx="3" fill="{colour}"/>'
    )
    return [
        shape,
        f'<text class="s" x="{at}" y="{y}" text-anchor="{anchor}">{escape(mark.label)}</text>',
    ]
