"""Small pieces of English and of terminal hygiene that all text reports share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trnkit.findings import Finding

_NOUNS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "remark"}


def count_of(number: int, noun: str) -> str:
    """`1 error`, `2 errors`, `3 policies`."""
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{number} {noun[:-1]}ies"
    return f"{number} {noun}{'es' if noun.endswith(('s', 'x', 'ch')) else 's'}"


def count_findings(findings: Iterable[Finding]) -> str:
    """`2 errors, 1 warning`, `no errors, 1 remark`, `no findings`."""
    counts = dict.fromkeys(Severity, 0)
    for finding in findings:
        counts[finding.severity] += 1
    parts = [count_of(number, _NOUNS[severity]) for severity, number in counts.items() if number]
    if parts and not counts[Severity.ERROR]:
        parts.insert(0, "no errors")
    return ", ".join(parts) or "no findings"


def name_files(files: Sequence[str]) -> str:
    """The one file by name, several by their number."""
    return on_one_line(files[0]) if len(files) == 1 else count_of(len(files), "file")


def printable(text: str) -> str:
    """The text without control characters, which could rewrite what a terminal shows."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else _escaped(c) for c in text)


def on_one_line(name: str) -> str:
    """A name as `printable` has it, its line breaks escaped too: names of files may hold them."""
    return printable(name).replace("\n", "\\n")


def _escaped(character: str) -> str:
    return "    " if character == "\t" else ascii(character)[1:-1]


def columns(rows: Sequence[Sequence[str]], *, indent: str = "", gap: str = "  ") -> str:
    """Rows of cells as lines with aligned columns; the last column keeps its own width.

    Args:
        rows: Cells, every row with the same number of them.
        indent: Begins every line.
        gap: Between two columns.
    """
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    lines = [
        gap.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join(indent + line if line else line for line in lines)
