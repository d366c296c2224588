"""Small pieces of Markdown, written the same way on every page."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WIDTH = 100


def page(*blocks: str, made_by: str = "make docs") -> str:
    """A whole page: blocks with an empty line between them, those that are empty left out."""
    generated = f"<!-- Made by `{made_by}`. Edit the code it is made of, not this file. -->"
    return "\n\n".join(block.strip("\n") for block in (generated, *blocks) if block.strip()) + "\n"


def wrap(text: str, *, indent: str = "", first: str | None = None) -> str:
    """A paragraph at the width of the docs."""
    return textwrap.fill(
        " ".join(text.split()),
        WIDTH,
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def bullets(items: Iterable[str]) -> str:
    """A list, each item wrapped."""
    return "\n".join(wrap(item, indent="  ", first="- ") for item in items)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; cells may hold Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def code(text: str, language: str) -> str:
    """A block of code."""
    return f"```{language}\n{text.strip(chr(10))}\n```"


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")


def link(text: str, heading: str) -> str:
    """A link to a heading of the same page."""
    return f"[{text}](#{slug(heading)})"


def source(reference: str) -> str:
    """A source as a link where it is an address."""
    return f"<{reference}>" if reference.startswith("http") else reference


def shown(value: object) -> str:
    """A fact in a table: unknown is said, never left empty."""
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or "none known"
    return str(value)


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")
