"""The file that a refresh writes: what people wrote stays letter by letter, the list is new."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from trnkit.config.input_bytes import read_bytes
from trnkit.config.loader import MAX_BYTES
from trnkit.config.prices_file import PricesFile, decode_prices, prices_in
from trnkit.config.yaml_reader import read_yaml
from trnkit.errors import ConfigurationError, UnreadableInputError, UsageError
from trnkit.operations.places import place_at, real_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trnkit.config.yaml_reader import YamlDocument
    from trnkit.operations.price_refresh.comparing import PriceComparison

_SECTION = "list_prices"
_COMMENT = (
    "# Written by `trnkit prices refresh`: AWS's list prices, in US dollars, of the first tier.\n"
)
_HEAD = (
    "# Prices for `budget.prices_file`. Write what you have agreed with AWS above `list_prices`.\n"
    "version: 1\n\n"
)


class StandingFile:
    """A file of prices as it is before a refresh.

    Attributes:
        prices: What it says; None when nothing stands there.
    """

    def __init__(self, text: str, document: YamlDocument | None, prices: PricesFile | None) -> None:
        """Keep what was read."""
        self._text, self._document, self.prices = text, document, prices

    @property
    def instance_types(self) -> tuple[str, ...]:
        """Types whose list price it holds, which a refresh asks for again."""
        listed = self.prices.list_prices if self.prices else None
        entries = listed.prices if listed else ()
        return tuple(dict.fromkeys(e.instance_type for e in entries if e.instance_type))

    def text_with(
        self, comparisons: Iterable[PriceComparison], regions: Sequence[str], read: str, shown: str
    ) -> str:
        """The whole text with a new list.

        Args:
            comparisons: What AWS said; what is not taken is left out.
            regions: The Regions that were asked.
            read: The day on which they were.
            shown: The file's name.

        Raises:
            UsageError: The list cannot be replaced where it stands, or would be too large.
        """
        section = _section(comparisons, regions, read)
        before, after = self._around()
        text = f"{before}{section}{after}"
        self._refuse_other_changes(text, shown)
        return text

    def _around(self) -> tuple[str, str]:
        """The text before and after the old list."""
        if self._document is None:
            return _HEAD, ""
        lines = self._text.splitlines(keepends=True)
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += "\n"
        tops = sorted(mark.line for path, mark in self._document.marks.items() if len(path) == 1)
        mark = self._document.marks.get((_SECTION,))
        if mark is None:
            return "".join(lines) + "\n", ""
        start = mark.line - 1
        end = next((line - 1 for line in tops if line > mark.line), len(lines))
        while end < len(lines) and _is_aside(lines[end - 1]):
            end -= 1  # What stands above the next key belongs to it.
        if start and lines[start - 1] == _COMMENT:
            start -= 1
        return "".join(lines[:start]), "".join(lines[end:])

    def _refuse_other_changes(self, text: str, shown: str) -> None:
        try:
            written = prices_in(read_yaml(text, shown))
        except UnreadableInputError as error:
            reason = error.finding.message
        except ConfigurationError as error:
            reason = error.findings[0].message
        else:
            if len(text.encode()) <= MAX_BYTES and _by_hand(written) == _by_hand(self.prices):
                return
            reason = "something else in it would change"
        raise UsageError(
            f"the list in {shown} cannot be replaced ({reason}): write its keys one below the "
            "other, or name another file"
        )


def _is_aside(line: str) -> bool:
    return not line.strip() or line.startswith("#")


def _by_hand(prices: PricesFile | None) -> dict[str, object]:
    """What people wrote; of a file that is not there, what an empty one would say."""
    prices = prices or PricesFile(version=1)
    return prices.model_dump(exclude={_SECTION})


def _section(comparisons: Iterable[PriceComparison], regions: Sequence[str], read: str) -> str:
    taken = sorted(
        (one.asked for one in comparisons if one.taken),
        key=lambda asked: (asked.region, " " in asked.item, asked.item),
    )
    lines = [
        f"{_SECTION}:",
        f"  read: {read}",
        f"  regions: [{', '.join(sorted(regions))}]",
        "  prices:" if taken else "  prices: []",
    ]
    for asked in taken:
        name, _, purchase = asked.item.partition(" ")
        dollars = f"{Decimal(repr(asked.usd)):f}"
        what = (
            f"instance_type: {name}, purchase: {purchase}, region: {asked.region}, "
            f"usd_per_hour: {dollars}"
            if purchase
            else f"item: {name}, region: {asked.region}, usd: {dollars}"
        )
        lines.append(f"    - {{{what}}}")
    return _COMMENT + "\n".join(lines) + "\n"


def standing_file(shown: str, regions: Sequence[str]) -> StandingFile:
    """The file as it is, unless writing it anew would lose something.

    Args:
        shown: Its name.
        regions: The Regions that are asked now.

    Raises:
        UnreadableInputError: The path can be none.
        UsageError: It is another file, its folder is missing, or it holds further Regions.
    """
    place = place_at(shown, shown)
    if place == "nothing":
        if place_at(real_path(shown).parent, shown) != "folder":
            raise UsageError(f"the folder of {shown} does not exist: create it first")
        return StandingFile("", None, None)
    if place != "file":
        raise UsageError(f"{shown} is a {place}, and no file can be written there")
    try:
        raw = read_bytes(shown, shown, most=MAX_BYTES, folder="name the file", missing="name one")
        text = decode_prices(raw, shown)
        document = read_yaml(text, shown)
        prices = prices_in(document)
    except (UnreadableInputError, ConfigurationError) as error:
        found = error.finding if isinstance(error, UnreadableInputError) else error.findings[0]
        raise UsageError(
            f"{shown} is no file of prices that can be read, and is not replaced "
            f"({found.location()}: {found.message}): mend it, or name another one"
        ) from None
    listed = prices.list_prices.regions if prices.list_prices else ()
    if lost := sorted(set(listed) - set(regions)):
        named = " ".join(f"--region {region}" for region in lost)
        raise UsageError(
            f"{shown} holds list prices of {', '.join(lost)}, which would be lost: add {named}, or "
            "name another file"
        )
    return StandingFile(text, document, prices)
