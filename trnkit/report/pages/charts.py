"""Pictures out of rectangles: SVG whose bars take the width there is; its text keeps its size.

Positions along the page are per cent, so that a picture needs no script to fit a narrow screen.
Names stand in the page's own text above a bar, where long ones wrap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.report.pages.markup import Markup, element
from trnkit.report.pages.style import TONES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_BAR_HEIGHT, _STACK_HEIGHT = 14, 34
_THIN = 0.4
"""Per cent of the width that the smallest bar has at least, to be seen."""
_ROOM_FOR_LETTER = 4.0
"""Per cent of the width from which a part has room for its letter on a narrow screen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A bar of a chart.

    Attributes:
        name: What it is.
        said: Its figure in words.
        low: At least.
        high: At most; None when nobody knows.
        is_own: Whether it is the cluster itself.
        tone: Number of its colour.
    """

    name: str
    said: str
    low: float
    high: float | None
    is_own: bool = False
    tone: int = 0


def bar_chart(caption: str, bars: Sequence[Bar]) -> Markup:
    """Bars below each other: full up to what is known, dashed up to what may be.

    Args:
        caption: What they show, and of what unit.
        bars: In their order.
    """
    most = max((bar.low if bar.high is None else bar.high for bar in bars), default=0.0)
    rows = [
        element(
            "li",
            element("div", element("span", bar.name), element("span", bar.said), class_="said"),
            _bar(bar, most),
            class_=f"t{bar.tone % TONES}{' own' if bar.is_own else ''}",
        )
        for bar in bars
    ]
    return element("figure", element("figcaption", caption), element("ol", *rows, class_="bars"))


def _bar(bar: Bar, most: float) -> Markup:
    """The bar alone; its figure stands above it, so that readers of a screen may skip it."""
    shapes = [element("rect", x=0, y=0, width="100%", height=_BAR_HEIGHT, class_="track")]
    low = _per_cent(bar.low, most)
    if bar.high is not None and bar.high > bar.low:
        width = max(_per_cent(bar.high, most) - low, _THIN)
        shapes.append(_rect(low, width, 0, _BAR_HEIGHT, "range"))
    if bar.low > 0:
        shapes.append(_rect(0, max(low, _THIN), 0, _BAR_HEIGHT, "known"))
    return element("svg", *shapes, height=_BAR_HEIGHT, aria_hidden="true")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a stacked bar.

    Attributes:
        letter: Stands in the part and in the table beside the picture.
        name: What it is.
        value: How long it is drawn.
        tone: Number of its colour.
    """

    letter: str
    name: str
    value: float
    tone: int


def stacked_bar(caption: str, label: str, parts: Sequence[Part]) -> Markup:
    """One bar of parts, with letters that a table explains.

    Args:
        caption: What it shows.
        label: The same in words, for who does not see it.
        parts: In their order.
    """
    whole = sum(part.value for part in parts)
    shapes: list[Markup] = []
    at = 0.0
    for part in parts:
        width = _per_cent(part.value, whole)
        if width > 0:
            shapes.append(_part(part, at, width))
        at += width
    if not shapes:
        shapes.append(element("rect", width="100%", height=_STACK_HEIGHT, class_="track"))
    picture = element("svg", *shapes, height=_STACK_HEIGHT, role="img", aria_label=label)
    return element("figure", element("figcaption", caption), picture)


def _part(part: Part, at: float, width: float) -> Markup:
    shapes = [
        element("title", f"{part.name}: {width:.1f} %"),
        _rect(at, width, 0, _STACK_HEIGHT, "known part"),
    ]
    if width >= _ROOM_FOR_LETTER:
        middle = f"{at + width / 2:.3f}%"
        place = {"x": middle, "y": _STACK_HEIGHT / 2 + 4.5}
        shapes.append(element("text", part.letter, class_="in", text_anchor="middle", **place))
    return element("g", *shapes, class_=f"t{part.tone % TONES}")


def swatch(letter: str, tone: int, *, is_range: bool = False) -> Markup:
    """A letter in the colour of its part, for a table or a key."""
    kind = f"swatch t{tone % TONES}{' half' if is_range else ''}"
    return element("span", letter, class_=kind)


def _rect(x: float, width: float, y: float, height: float, kind: str) -> Markup:
    return element("rect", x=f"{x:.3f}%", y=y, width=f"{width:.3f}%", height=height, class_=kind)


def _per_cent(value: float, whole: float) -> float:
    return 100 * value / whole if whole > 0 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pillar:
    """A pillar of a chart over time.

    Attributes:
        name: What it stands for, in full.
        tick: What stands below it; "" for nothing.
        parts: Height and tone of each part, from the ground up.
        mark: Number of what happens then, which a table explains; "" for nothing.
    """

    name: str
    tick: str
    parts: Sequence[tuple[float, int]]
    mark: str = ""

    @property
    def height(self) -> float:
        """All parts together."""
        return sum(height for height, _ in self.parts)


_PLOT, _MARKS, _FOOT = 160, 64, 22
"""Height of the pillars, of the room for marks above them and for ticks below, in pixels."""
_BADGE, _MARK_ROWS = 9, 3
_GAP = 0.15
"""Part of its room that a pillar leaves free."""


def pillar_chart(
    caption: str, label: str, pillars: Sequence[Pillar], said: Callable[[float], str]
) -> Markup:
    """Pillars side by side, with lines for round figures and numbered marks.

    Args:
        caption: What they show, and of what unit.
        label: The same in words, for who does not see it.
        pillars: In their order, one at least.
        said: How a figure is written.
    """
    top = _round_up(max(pillar.height for pillar in pillars))
    room = 100 / len(pillars)
    ground = _MARKS + _PLOT
    shapes = [_level(y) for y, _ in _levels(top)]
    shapes += [_pillar(pillar, number * room, room, top) for number, pillar in enumerate(pillars)]
    shapes.append(_level(ground))
    marked = [(at, pillar) for at, pillar in enumerate(pillars) if pillar.mark]
    for row, (at, pillar) in enumerate(marked):
        shapes += _mark(pillar.mark, (at + 0.5) * room, row % _MARK_ROWS)
    height = ground + _FOOT
    figures = [
        element("text", said(value), x="100%", y=y + 4, text_anchor="end")
        for y, value in _levels(top)
    ]
    axis = element("svg", *figures, height=height, class_="figures", aria_hidden="true")
    picture = element("svg", *shapes, height=height, role="img", aria_label=label)
    plot = element("div", axis, picture, class_="plot")
    return element("figure", element("figcaption", caption), plot)


def _levels(top: float) -> list[tuple[float, float]]:
    """Where a line lies, and the figure that it stands for."""
    shares = (1.0, 0.5, 0.0) if top > 0 else (0.0,)
    return [(_MARKS + _PLOT * (1 - share), top * share) for share in shares]


def _level(y: float) -> Markup:
    return element("line", x1=0, x2="100%", y1=y, y2=y, class_="axis")


def _pillar(pillar: Pillar, at: float, room: float, top: float) -> Markup:
    shapes = [element("title", pillar.name)]
    ground = float(_MARKS + _PLOT)
    for height, tone in pillar.parts:
        pixels = _PLOT * height / top if top > 0 else 0.0
        if pixels > 0:
            ground -= pixels
            left, width = at + room * _GAP / 2, room * (1 - _GAP)
            shape = _rect(left, width, ground, pixels, "known")
            shapes.append(element("g", shape, class_=f"t{tone % TONES}"))
    if pillar.tick:
        place = {"x": f"{at + room / 2:.3f}%", "y": _MARKS + _PLOT + 16, "text_anchor": "middle"}
        shapes.append(element("text", pillar.tick, **place))
    return element("g", *shapes)


def _mark(number: str, at: float, row: int) -> list[Markup]:
    """A line down to the ground, and a badge in one of some rows, for days side by side."""
    x, y = f"{at:.3f}%", _BADGE + 2 + row * (2 * _BADGE + 2)
    return [
        element("line", x1=x, x2=x, y1=y, y2=_MARKS + _PLOT, class_="mark"),
        element("circle", cx=x, cy=y, r=_BADGE, class_="badge"),
        element("text", number, x=x, y=y + 4, class_="in", text_anchor="middle"),
    ]


def _round_up(value: float) -> float:
    """The next of 1, 2, 4, 5, 6, 8 and 10 times a power of ten, whose half is round too."""
    if value <= 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(value))
    steps = (step * power for step in (1, 2, 4, 5, 6, 8, 10))
    return next((step for step in steps if step >= value), 10 * power)
