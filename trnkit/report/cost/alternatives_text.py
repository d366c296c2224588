"""The same work elsewhere, for a person at a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from trnkit.report.cost.alternatives_words import (
    CAVEAT,
    CLAIM_NOTE,
    UNIT_NOTE,
    basis_words,
    claim_words,
    known,
    machines_of,
    need_words,
    no_pair_words,
    number,
    offered_words,
    own_count,
    pair_words,
    remarks,
    row_name,
    times_words,
    use_words,
    work_words,
)
from trnkit.report.cost_words import money
from trnkit.report.words import columns, on_one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.layout.cost.alternatives import Way, WorkComparison
    from trnkit.layout.cost.claims import ClaimCheck

_WIDTH = 100
_OWN = "as the file has it"
_WORDS = frozenset(("", "accelerators", "price of", "offered"))
"""Heads of columns of words, which stand on the left."""
_LESS_NEEDS = ("$ for memory", "same memory")
_LESS_RATES = ("1,000 peak", "instance-hour", "chip-hour")
_LESS_MACHINES = ("offered", "use", "Gbit/s each")
"""What a narrow terminal goes without, the first first; JSON and the page have all."""


def alternatives_lines(
    comparison: WorkComparison,
    claims: Sequence[ClaimCheck] = (),
    *,
    explain: bool = False,
    width: int | None = None,
) -> list[str]:
    """Other instances beside the cluster's.

    Args:
        comparison: The comparison.
        claims: Public claims beside our figures.
        explain: Whether to tell them; else only that there are some.
        width: Columns of the terminal, for the tables; as wide as they are when left out.
    """
    if comparison.own.work.is_nothing:
        nothing = "nothing to compare: the file has no node whose compute is known"
        return ["", "the same work elsewhere:", f"  {nothing}", *_wrapped(remarks(comparison))]
    return [
        "",
        *_wrapped([f"the same work elsewhere, nodes alone: {work_words(comparison.own.work)}"], ""),
        *_wrapped([use_words(comparison.utilisation), CAVEAT]),
        "",
        *need_lines(comparison, width),
        "",
        *_wrapped([UNIT_NOTE]),
        "",
        *_aligned(_rates(comparison), width, _LESS_RATES),
        "",
        *_aligned(_machines(comparison), width, _LESS_MACHINES),
        "",
        *_wrapped(remarks(comparison)),
        *_told_claims(claims, explain=explain),
    ]


def need_lines(comparison: WorkComparison, width: int | None = None) -> list[str]:
    """The table of how many instances it would take, and what an hour of them costs.

    Args:
        comparison: The comparison.
        width: Columns of the terminal; as wide as it is when left out.
    """
    return _aligned(_needs(comparison), width, _LESS_NEEDS)


def _needs(comparison: WorkComparison) -> list[Sequence[str]]:
    own = comparison.own
    count = own_count(comparison)
    return [
        ("", "same compute", "$ an hour", "times", "same memory", "$ for memory"),
        (_OWN, count, money(own.nodes), "1", count, money(own.nodes)),
        *(
            (
                row_name(way, comparison.region),
                need_words(way.for_compute),
                money(way.compute_hour),
                times_words(own.times(way.compute_hour)),
                need_words(way.for_memory),
                money(way.memory_hour),
            )
            for way in comparison.ways
        ),
    ]


def _rates(comparison: WorkComparison) -> list[Sequence[str]]:
    own = comparison.own
    return [
        ("", "instance-hour", "chip-hour", "1,000 peak", "1,000 effective", "price of"),
        (
            _OWN,
            "",
            money(own.accelerator_hour),
            money(own.peak_tflop_hour * 1000),
            money(own.effective_tflop_hour * 1000),
            "the file",
        ),
        *(_rate(way, comparison.region) for way in comparison.ways),
    ]


def _rate(way: Way, region: str) -> Sequence[str]:
    day = "" if way.price is None else f", {way.price.date}"
    basis = basis_words(way.price, region).partition(",")[0]
    return (
        row_name(way, region),
        money(way.instance_hour),
        money(way.accelerator_hour),
        money(way.peak_tflop_hour * 1000),
        money(way.effective_tflop_hour * 1000),
        f"{basis}{day}",
    )


def _machines(comparison: WorkComparison) -> list[Sequence[str]]:
    head = ("", "accelerators", "TFLOP/s each", "GiB each", "Gbit/s each", "use", "offered")
    return [
        head,
        *(
            (
                machine.instance_type,
                f"{known(machine.accelerators)} x {machine.accelerator}",
                known(machine.bf16_tflops),
                known(machine.memory_gib),
                known(machine.network_per_accelerator_gbps),
                f"{number(100 * comparison.utilisation.of(machine.instance_type), 1)} %",
                offered_words(machine, comparison.region),
            )
            for machine in machines_of(comparison.ways)
        ),
    ]


def _aligned(rows: Sequence[Sequence[str]], width: int | None, less: Sequence[str]) -> list[str]:
    """The rows, without columns for which a narrow terminal has no room."""
    lines, lacking = _lines(rows), list[str]()
    for name in less:
        if width is None or max(map(len, lines)) <= width:
            break
        lacking.append(name)
        at = rows[0].index(name)
        rows = [(*row[:at], *row[at + 1 :]) for row in rows]
        lines = _lines(rows)
    return [*lines, *([f"  without {', '.join(lacking)} in {width} columns"] if lacking else [])]


def _lines(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    aligned = [
        [
            cell if head in _WORDS else cell.rjust(width)
            for cell, head, width in zip(row, rows[0], widths, strict=True)
        ]
        for row in rows
    ]
    return columns(aligned, indent="  ").split("\n")


def _told_claims(checks: Sequence[ClaimCheck], *, explain: bool) -> list[str]:
    if not checks:
        return []
    if not explain:
        return _wrapped(
            [f"public claims that differ from this: {len(checks)}; --explain tells why"]
        )
    head = ["", "claims that you will read elsewhere:", *_wrapped([CLAIM_NOTE])]
    return [*head, *claim_lines(checks)]


def claim_lines(checks: Sequence[ClaimCheck]) -> list[str]:
    """Each claim, why other figures differ, and what ours are.

    Args:
        checks: The claims.
    """
    lines: list[str] = []
    for check in checks:
        said_by = f"{', '.join(check.claim.source)}, looked at {check.claim.date}"
        lines += ["", *_wrapped([f"{claim_words(check.claim)} ({said_by})"])]
        lines += _wrapped([check.claim.explanation], indent="    ")
        ours = [pair_words(pair) for pair in check.pairs]
        lines += _wrapped(ours or [no_pair_words(check)], indent="    ")
    return lines


def _wrapped(texts: Sequence[str], indent: str = "  ") -> list[str]:
    return [
        line
        for text in texts
        for line in textwrap.wrap(
            on_one_line(text),
            _WIDTH,
            initial_indent=indent,
            subsequent_indent=indent,
            break_on_hyphens=False,
        )
    ]
