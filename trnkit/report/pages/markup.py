"""Elements of HTML and SVG in which every text is escaped.

What is written reads as HTML and as XML alike: every element is closed, every attribute quoted.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from trnkit.report.words import on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

_VOID = frozenset({"br", "col", "hr", "meta"})
_EMPTY_IN_SVG = frozenset({"circle", "line", "path", "rect"})


class Markup(str):
    """Text that is markup already. Only this module and constants make it."""

    __slots__ = ()


def text(words: str) -> Markup:
    """Words of anybody's as markup: nothing in them is an element, a quote or a control character.

    Args:
        words: The words.
    """
    return words if isinstance(words, Markup) else Markup(escape(on_one_line(words), quote=True))


def together(parts: Iterable[str]) -> Markup:
    """Parts one after another; what is no markup yet is escaped.

    Args:
        parts: Elements and words.
    """
    return Markup("".join(text(part) for part in parts))


def element(tag: str, /, *parts: str, **attributes: str | float | None) -> Markup:
    """An element.

    Args:
        tag: Its name.
        parts: What stands in it: elements, or words, which are escaped.
        attributes: Its attributes: `class_` is `class`, `aria_label` is `aria-label`; those that
            are None are left out.
    """
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(_written(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if tag in _VOID or (tag in _EMPTY_IN_SVG and not parts):
        return Markup(f"<{tag}{shown} />")
    return Markup(f"<{tag}{shown}>{together(parts)}</{tag}>")


def _written(value: str | float) -> str:
    """Numbers with at most three digits after the point, the same on every machine."""
    if isinstance(value, str):
        return value
    return f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
