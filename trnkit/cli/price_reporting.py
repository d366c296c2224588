"""`trnkit prices list` and `show`, as text and as plain values for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from trnkit.report.dollars import dollars, dollars_between
from trnkit.report.words import columns, count_of, on_one_line, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trnkit.catalog.price_book import UnitPrice
    from trnkit.operations.price_ages import PriceNote
    from trnkit.operations.price_facts import PriceFacts, ShippedPrice

_SHOWN_REGIONS = 4


def list_text(facts: Sequence[PriceFacts], notes: Sequence[PriceNote]) -> str:
    """The table of prices for a person.

    Args:
        facts: What is known, a row each.
        notes: What is old.
    """
    if not facts:
        return "no item has such a key; trnkit prices list prints them all"
    local = facts[0].region is not None
    where = "FROM" if local else "REGIONS"
    rows: list[tuple[str, ...]] = [("ITEM", "UNIT", "USD", where, "DATE", "SERVICE")]
    for one in facts:
        told = _of_region(one.price) if local else _everywhere(one.shipped)
        rows.append((one.key, one.unit, *told, one.service))
    return printable("\n".join((columns(rows), *_notes(notes))))


def show_text(facts: Sequence[PriceFacts], notes: Sequence[PriceNote]) -> str:
    """All about one item, or about the ways to buy one type, for a person.

    Args:
        facts: What is known.
        notes: What is old.
    """
    sections = ["\n".join(_description(one)) for one in facts]
    sections += ["\n".join(_notes(notes)).lstrip("\n")] if notes else []
    return printable("\n\n".join(sections))


def price_values(facts: Sequence[PriceFacts], notes: Sequence[PriceNote]) -> dict[str, Any]:
    """The same for a program.

    Args:
        facts: What is known.
        notes: What is old.
    """
    return {
        "prices": [asdict(one) for one in facts],
        "notes": [asdict(note) for note in notes],
    }


def _of_region(price: UnitPrice | None) -> tuple[str, str, str]:
    if price is None:
        return "unknown", "-", "-"
    discount = f", less {price.discount_percent:g} %" if price.discount_percent else ""
    whence = {"file": "file", "region": "catalogue", "other regions": "other Regions"}
    return dollars_between(price.low, price.high), whence[price.basis] + discount, price.date


def _everywhere(shipped: Sequence[ShippedPrice]) -> tuple[str, str, str]:
    if not shipped:
        return "unknown", "-", "-"
    amounts = [price.usd for price in shipped]
    regions = {region for price in shipped for region in price.regions}
    where = "all" if "*" in regions else str(len(regions))
    return dollars_between(min(amounts), max(amounts)), where, min(one.date for one in shipped)


def _description(one: PriceFacts) -> Iterator[str]:
    yield f"{one.key}  ({one.service})"
    rows = [("counted", f"{one.unit}: {one.meaning}")]
    if one.region is not None:
        rows += _price_rows(one.region, one.price)
    for shipped in one.shipped if one.region is None else ():
        rows.append((_places(shipped), f"{dollars(shipped.usd)} USD, compared on {shipped.date}"))
    if one.region is None and not one.shipped:
        rows.append(("price", "unknown: no source shows one"))
    for shipped in one.shipped:
        for entry in shipped.disagreements:
            text = f"{entry.other_source} has {entry.other_value}: {entry.note}"
            rows.append(("sources disagree", text))
    rows.append(("refreshed", _question(one)))
    for source in one.sources:
        where = f", {source.url}" if source.url else ""
        rows.append((f"source {source.key}", f"{source.title} ({source.date}){where}"))
    yield columns(rows, indent="  ")


def _price_rows(region: str, price: UnitPrice | None) -> Iterator[tuple[str, str]]:
    if price is None:
        yield f"in {region}", "unknown: no source shows a price"
        return
    amount = dollars_between(price.low, price.high)
    yield f"in {region}", f"{amount} USD, compared on {price.date}"
    basis = {
        "file": f"the file of prices: {', '.join(price.source)}",
        "region": f"the catalogue, for {region}: {', '.join(price.source)}",
        "other regions": "the catalogue, for other Regions; no source shows this one: "
        + ", ".join(price.source),
    }
    yield "from", basis[price.basis]
    if price.discount_percent:
        whence = f", {on_one_line(price.discount_source)}" if price.discount_source else ""
        yield "discount", f"{price.discount_percent:g} % are off already{whence}"


def _places(shipped: ShippedPrice) -> str:
    if "*" in shipped.regions:
        return "in every Region"
    shown = ", ".join(shipped.regions[:_SHOWN_REGIONS])
    more = len(shipped.regions) - _SHOWN_REGIONS
    return f"in {shown}" + (f" and {more} more" if more > 0 else "")


def _question(one: PriceFacts) -> str:
    if one.query is None:
        if one.key.endswith(" on-demand"):
            return "by trnkit prices refresh, where AWS lists it"
        return "not by trnkit prices refresh: write your price into the file"
    return f"by trnkit prices refresh: {one.query.service_code}, {one.query.usage_type}"


def _notes(notes: Sequence[PriceNote]) -> Iterator[str]:
    if notes:
        yield f"\n{count_of(len(notes), 'note')}"
    for note in notes:
        yield f"  {note.message}"
        yield f"    {note.hint}"
