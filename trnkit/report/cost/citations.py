"""Numbers in place of long titles, and the list that explains them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.report.pages.markup import Markup, element, together

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_ANCHOR = "cost-source-"


class Citations:
    """The sources of a page, numbered as they are met."""

    def __init__(self, titles: Mapping[str, str]) -> None:
        """Cite nothing yet.

        Args:
            titles: Key of a source and its title; what has none is its own title.
        """
        self._titles = titles
        self._numbers: dict[str, int] = {}

    def cite(self, keys: Iterable[str]) -> Markup:
        """Numbers of sources, each a link to its title.

        Args:
            keys: Keys of the sources.
        """
        numbers = [self._numbers.setdefault(key, len(self._numbers) + 1) for key in keys]
        links = [element("a", f"[{n}]", href=f"#{_ANCHOR}{n}") for n in sorted(numbers)]
        spaced = [part for link in links for part in (" ", link)]
        return together(spaced[1:])

    def section(self) -> Markup:
        """What the numbers stand for; nothing when nothing was cited."""
        if not self._numbers:
            return Markup()
        entries = [
            element("li", self._titles.get(key, key), id=f"{_ANCHOR}{number}")
            for key, number in self._numbers.items()
        ]
        return together([element("h2", "Sources"), element("ol", *entries, class_="sources")])
