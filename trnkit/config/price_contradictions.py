"""What is wrong with a file of prices although each of its values is legal alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import service_items
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Finding, Severity, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config.prices_file import PriceEntry, PricesFile
    from trnkit.config.yaml_reader import Path, YamlDocument

_LISTED = ("list_prices", "prices")
_REWRITE = "take the file from version control, or run trnkit prices refresh again"


def contradictions(document: YamlDocument, file: PricesFile) -> list[Finding]:
    """Everything that does not go together in a file of prices.

    Args:
        document: Where each value stands.
        file: What it says.
    """
    return [
        _finding(document, path, rule_id, message, hint)
        for path, rule_id, message, hint in (
            *_headless(file),
            *_shapes(file),
            *_unknown_items(file),
            *_twice(file),
            *_outside(file),
        )
    ]


_Problem = tuple["Path", str, str, str]


def _finding(document: YamlDocument, path: Path, rule_id: str, message: str, hint: str) -> Finding:
    mark = document.locate(path)
    return Finding(
        rule_id=rule_id,
        severity=Severity.ERROR,
        message=message,
        hint=hint,
        path=format_path(path),
        file=document.file,
        line=mark.line,
        column=mark.column,
    )


def _headless(file: PricesFile) -> Iterator[_Problem]:
    """A price that nobody can look up again is a rumour."""
    if not (file.prices or file.discount or file.list_prices):
        told = "the file states no price: it has neither prices nor discount nor list_prices"
        yield (), "TRN005", told, "docs/prices.md shows what such a file holds"
    if not (file.prices or file.discount):
        return
    for key, example in (("date", "2026-11-30"), ("source", '"Enterprise agreement 2026"')):
        if getattr(file, key) is None:
            told = f"{key} is required beside prices and discount, and missing"
            yield (key,), "TRN004", told, f"add `{key}:`, for example {example}"


def _entries(file: PricesFile) -> Iterator[tuple[Path, PriceEntry]]:
    for index, entry in enumerate(file.prices):
        yield ("prices", index), entry
    for index, entry in enumerate(file.list_prices.prices if file.list_prices else ()):
        yield (*_LISTED, index), entry


_OF_ITEM, _OF_TYPE = ("item", "usd"), ("instance_type", "purchase", "usd_per_hour")


def _shapes(file: PricesFile) -> Iterator[_Problem]:
    """An entry has the keys of an item, or those of an instance type, and all of them."""
    for path, entry in _entries(file):
        of_item = [key for key in _OF_ITEM if getattr(entry, key) is not None]
        of_type = [key for key in _OF_TYPE if getattr(entry, key) is not None]
        where = format_path(path)
        if of_item and of_type:
            told = f"{where} has {of_item[0]} and {of_type[0]}: it is a price of two things"
            yield path, "TRN005", told, "write item and usd, or instance_type, purchase and more"
            continue
        wanted = _OF_TYPE if of_type else _OF_ITEM
        if not (of_item or of_type):
            told = f"{where} names nothing that is sold"
            yield path, "TRN004", told, "add `item:` and `usd:`"
        for key in wanted if of_item or of_type else ():
            if getattr(entry, key) is None:
                told = f"{format_path((*path, key))} is required and missing"
                yield path, "TRN004", told, f"add `{key}:`"
        if path[: len(_LISTED)] == _LISTED:
            yield from _list_shape(path, entry)


def _list_shape(path: Path, entry: PriceEntry) -> Iterator[_Problem]:
    """AWS's list has a Region for each price, and none for Spot and Capacity Blocks."""
    where = format_path(path)
    if entry.region is None:
        yield path, "TRN004", f"{where}.region is required and missing", _REWRITE
    if entry.purchase not in (None, "on-demand"):
        told = f"{where}.purchase must be on-demand, got {entry.purchase}: AWS lists no other"
        yield path, "TRN005", told, "move the entry to `prices`"


def _unknown_items(file: PricesFile) -> Iterator[_Problem]:
    known = {item.key for item in service_items()}
    named = [((*path, "item"), entry.item) for path, entry in _entries(file)]
    discount = file.discount.not_on if file.discount else ()
    named += [(("discount", "not_on", i), n) for i, n in enumerate(discount) if "." not in n]
    for path, item in named:
        if item is None or item in known:
            continue
        close = nearest(item, sorted(known))
        hint = f"did you mean {' or '.join(close)}?" if close else "trnkit prices list has them all"
        yield path, "TRN005", f"{format_path(path)} is {item}, which no item is called", hint


def _twice(file: PricesFile) -> Iterator[_Problem]:
    """The same thing for the same Region; one for everywhere beside one for a Region is none."""
    first: dict[tuple[bool, str, str | None], Path] = {}
    for path, entry in _entries(file):
        if entry.dollars is None:
            continue
        listed = path[: len(_LISTED)] == _LISTED
        region = entry.region or (None if listed else file.region)
        earlier = first.setdefault((listed, entry.key, region), path)
        if earlier != path:
            told = (
                f"{format_path(path)} is a second price of {entry.key} "
                f"{f'in {region}' if region else 'for all Regions'}, beside {format_path(earlier)}"
            )
            yield path, "TRN005", told, "keep one of them"


def _outside(file: PricesFile) -> Iterator[_Problem]:
    """What was read is of Regions that were asked."""
    for path, entry in _entries(file):
        if path[: len(_LISTED)] != _LISTED or file.list_prices is None or entry.region is None:
            continue
        if entry.region not in file.list_prices.regions:
            told = f"{format_path(path)}.region is {entry.region}, which list_prices.regions lacks"
            yield (*path, "region"), "TRN005", told, _REWRITE
