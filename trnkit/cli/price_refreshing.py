"""What `trnkit prices refresh` found, as text and as plain values for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.report.dollars import dollars, dollars_between
from trnkit.report.words import columns, count_of, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.operations.price_refresh.comparing import PriceComparison
    from trnkit.operations.price_refresh.refreshing import PriceRefresh

_PROBLEMS_SHOWN = 5
_NAMES_SHOWN = 6


def refresh_text(done: PriceRefresh) -> str:
    """The report for a person.

    Args:
        done: What became of the refresh.
    """
    sections = ["\n".join(_region(done, region)) for region in done.regions]
    sections += ["\n".join(_outcome(done))]
    return printable("\n\n".join(section for section in sections if section))


def refresh_values(done: PriceRefresh) -> dict[str, Any]:
    """The report for a program.

    Args:
        done: What became of the refresh.
    """
    return {
        "read": done.read,
        "regions": list(done.regions),
        "complete": not done.unanswered,
        "output": done.output,
        "written": done.written,
        "not_written": done.failure,
        "prices": [_values(one) for one in done.prices],
        "not_refreshed": list(done.not_asked),
        "unanswered": [
            {"region": one.region, "kind": one.kind, "operation": one.operation}
            | {"message": one.message}
            for one in done.unanswered
        ],
    }


def _values(one: PriceComparison) -> dict[str, Any]:
    asked, known = one.asked, one.known
    return {
        "item": asked.item,
        "region": asked.region,
        "unit": asked.unit,
        "usd": asked.usd,
        "effective": asked.effective.isoformat() if asked.effective else None,
        "outcome": one.outcome,
        "taken": one.taken,
        "catalogue_low": known.low if known else None,
        "catalogue_high": known.high if known else None,
        "catalogue_basis": known.basis if known else None,
        "catalogue_date": known.date if known else None,
        "percent": None if one.percent is None else round(one.percent, 2),
    }


def _region(done: PriceRefresh, region: str) -> Iterator[str]:
    mine = [one for one in done.prices if one.asked.region == region]
    if not mine:
        return
    same = sum(one.outcome == "same" for one in mine)
    taken = sum(one.taken for one in mine)
    yield (
        f"{region}: {count_of(taken, 'price')} read {done.read}, {same} of them as in the catalogue"
    )
    rows = [_row(one) for one in mine if one.outcome in ("changed", "new", "odd")]
    if rows:
        yield columns([("  ITEM", "AWS", "CATALOGUE", "CHANGE", "UNIT"), *rows])
    for outcome, words in _WITHOUT.items():
        names = [one.asked.item for one in mine if one.outcome == outcome]
        if names:
            yield f"  {words}: {', '.join(names)}"


_WITHOUT = {
    "not listed": "not listed by AWS in US dollars",
    "several prices": "not taken, as AWS lists several prices at once",
    "odd": "not taken, as it is more than ten times off, so of something else",
}


def _row(one: PriceComparison) -> tuple[str, ...]:
    asked, known = one.asked, one.known
    amount = dollars(asked.usd) if asked.usd is not None else "-"
    before = "-"
    if known is not None:
        elsewhere = " elsewhere" if known.basis == "other regions" else ""
        before = dollars_between(known.low, known.high) + elsewhere
    change = "new" if one.percent is None else f"{one.percent:+.1f} %"
    return (f"  {asked.item}", amount, before, change, asked.unit)


def _outcome(done: PriceRefresh) -> Iterator[str]:
    if done.not_asked and done.prices:
        shown = ", ".join(done.not_asked[:_NAMES_SHOWN])
        more = f", and {len(done.not_asked) - _NAMES_SHOWN} more" * (
            len(done.not_asked) > _NAMES_SHOWN
        )
        yield f"not refreshed, as there is no question for them: {shown}{more}"
    messages = list(dict.fromkeys(one.message for one in done.unanswered))
    if messages:
        yield f"incomplete: {count_of(len(done.unanswered), 'question')} without an answer"
        yield from (f"  {message}" for message in messages[:_PROBLEMS_SHOWN])
        if len(messages) > _PROBLEMS_SHOWN:
            yield f"  and {len(messages) - _PROBLEMS_SHOWN} more"
        if done.output is not None:
            yield f"{done.output} is not written: it would look complete and is not"
        return
    if done.output is None:
        yield "nothing is written: name a file with --output to use these prices"
        return
    if done.failure is not None:
        yield f"{done.output} is not written: {done.failure}"
        return
    yield f"wrote {done.output}" if done.written else f"{done.output} says the same already"
    yield (
        f"next: name it in cluster files, `budget: {{prices_file: {done.output}}}`, and commit it"
    )
