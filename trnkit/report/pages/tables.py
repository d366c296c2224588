"""Tables and boxes of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trnkit.report.pages.markup import Markup, element, together

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        head: What stands above it.
        kind: `words` have room to wrap, a `number` stands on the right, `short` words wrap never.
    """

    head: str
    kind: Literal["words", "number", "short"] = "words"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table; its first cell says what it is about.

    Attributes:
        cells: As many as there are columns; words or markup.
        is_own: Whether it is about the cluster itself, and stands out.
    """

    cells: Sequence[str]
    is_own: bool = False


def table(
    caption: str, columns: Sequence[Column], rows: Sequence[Row], *, last: Row | None = None
) -> Markup:
    """A table that scrolls by itself where the screen is narrow.

    Args:
        caption: What it shows.
        columns: Its columns.
        rows: Its rows.
        last: Sums, below a line.
    """
    heads = [element("th", column.head, scope="col", class_=column.kind) for column in columns]
    parts = [
        element("caption", element("span", caption)),
        element("thead", element("tr", *heads)),
        element("tbody", *(_row(row, columns) for row in rows)),
    ]
    if last is not None:
        parts.append(element("tfoot", _row(last, columns)))
    return element(
        "div",
        element("table", *parts),
        class_="scroll",
        tabindex=0,
        role="region",
        aria_label=caption,
    )


def cards(entries: Sequence[tuple[str, str, str]]) -> Markup:
    """A few figures that matter most, each with its name before and a remark below.

    Args:
        entries: Name, figure and remark of each; a remark may be empty.
    """
    boxes = [
        element(
            "div",
            element("dt", name),
            element("dd", figure),
            *([element("dd", remark, class_="small")] if remark else []),
        )
        for name, figure, remark in entries
    ]
    return element("dl", *boxes, class_="cards")


def notes(lines: Sequence[str]) -> Markup:
    """Remarks, one a point; nothing when there are none."""
    if not lines:
        return Markup()
    return element("ul", *(element("li", line) for line in lines), class_="notes")


def _row(row: Row, columns: Sequence[Column]) -> Markup:
    first, *others = zip(columns, row.cells, strict=True)
    cells = [element("th", first[1], scope="row", class_=first[0].kind)]
    cells += [element("td", cell, class_=column.kind) for column, cell in others]
    return element("tr", together(cells), class_="own" if row.is_own else None)
