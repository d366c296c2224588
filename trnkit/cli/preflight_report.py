"""What a preflight says to a person below its findings: each check in a row, and how many pass."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import TYPE_CHECKING

from trnkit.cli.reporting import summarize_unseen
from trnkit.report.words import columns, count_findings, count_of

if TYPE_CHECKING:
    from trnkit.operations.preflight.preflight import Preflight
    from trnkit.operations.preflight.running import CheckRun

_WIDTH = 100
# How one check, and how several are; in the order of the last line.
_ENDS = {
    "ok": ("passes", "pass"),
    "fail": ("fails", "fail"),
    "unknown": ("is unknown", "are unknown"),
    "warning": ("warns", "warn"),
    None: ("has nothing to ask", "have nothing to ask"),
}


def summary_of(done: Preflight) -> str | None:
    """The lines below the findings; None where the account was not asked."""
    if done.told is None:
        return None
    in_account = f"{count_findings(done.told.findings)} in the account"
    return f"{in_account}\n{summarize_unseen(done.of_file, done.file)}"


def preflight_lines(done: Preflight) -> list[str]:
    """The table of the checks, those that have nothing to ask, and the verdict."""
    if done.told is None:
        return ["", "the account was not asked: correct the file first"]
    rows = [
        (run.status.value, run.check.id, run.check.name, _told(run, done.told.of_checks))
        for run in done.runs
        if run.applies
    ]
    left = ", ".join(run.check.name for run in done.runs if not run.applies)
    parts = [columns(rows)] if rows else []
    if left:
        parts.append(
            textwrap.fill(
                f"nothing to ask: {left}",
                _WIDTH,
                subsequent_indent="  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
        )
    return [line for part in (*parts, _verdict(done)) for line in ("", part)]


def _told(run: CheckRun, findings: Counter[str]) -> str:
    number = findings[run.check.name]
    if number:
        return f"{count_of(number, 'finding')} above"
    first, *others = run.results
    return f"{first.message} (and {len(others)} more)" if others else first.message


def _verdict(done: Preflight) -> str:
    ends = Counter(run.status.value if run.applies else None for run in done.runs)
    parts = [
        f"{ends[end]} {one if ends[end] == 1 else several}"
        for end, (one, several) in _ENDS.items()
        if ends[end]
    ]
    word = "can be deployed, as far as was asked" if done.passed else "not ready"
    return f"{word}: of {count_of(len(done.runs), 'check')} {', '.join(parts)}"
