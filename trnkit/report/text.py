"""Findings for a person at a terminal: where, what, the line itself, and what to do."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from trnkit.findings import Severity, sort_findings
from trnkit.report.words import count_findings, name_files, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trnkit.findings import Finding

_STYLES = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.INFO: "36"}
_EXCERPT_WIDTH = 100


def render_text(
    findings: Iterable[Finding],
    *,
    sources: Mapping[str, Sequence[str]] | None = None,
    color: bool = False,
) -> str:
    """Write findings, file by file, worst first.

    Args:
        findings: In any order.
        sources: Lines of the files, to show the one a finding is about; files may be missing.
        color: Whether to use ANSI colours.

    Returns:
        Lines without a trailing newline; an empty string when there are no findings.
    """
    groups: list[str] = []
    for _, group in groupby(sort_findings(findings), key=lambda finding: finding.file):
        members = list(group)
        width = max(len(_place(finding)) for finding in members)
        blocks = [_block(finding, width, sources or {}, color) for finding in members]
        groups.append("\n".join(blocks))
    return "\n\n".join(groups)


def summarize(findings: Sequence[Finding], files: Sequence[str]) -> str:
    """The last line of a report: `2 errors, 1 warning in cluster.yaml`.

    Args:
        findings: What was found.
        files: What was judged; files that only findings name are counted too.
    """
    judged = dict.fromkeys([*files, *(finding.file for finding in findings if finding.file)])
    return f"{count_findings(findings)} in {name_files(tuple(judged))}"


def _block(finding: Finding, width: int, sources: Mapping[str, Sequence[str]], color: bool) -> str:
    severity = finding.severity.ljust(7)
    if color:
        severity = f"\x1b[{_STYLES[finding.severity]}m{severity}\x1b[0m"
    place = _place(finding).ljust(width)
    head = f"{place}  {severity}  {finding.rule_id}  {printable(finding.message)}"
    lines = [head.strip(), *_excerpt(finding, sources)]
    for label, text in (("fix", finding.hint), ("fact", finding.evidence), ("see", finding.source)):
        if text:
            lines.append(f"    {label.ljust(4)}  {printable(text)}")
    return "\n".join(lines)


def _place(finding: Finding) -> str:
    """`file:line:column`, and the logical id unless the message begins with it."""
    place, resource = printable(finding.location()), finding.logical_id
    if resource is None or finding.message.startswith(resource):
        return place
    return f"{place} {printable(resource)}".strip()


def _excerpt(finding: Finding, sources: Mapping[str, Sequence[str]]) -> list[str]:
    """The line of the file with a caret below it; a long line is cut around the caret."""
    lines = sources.get(finding.file or "")
    if not lines or not finding.line or finding.line > len(lines):
        return []
    column = (finding.column or 1) - 1
    line = lines[finding.line - 1]
    start = max(0, column - _EXCERPT_WIDTH // 2) if len(line) > _EXCERPT_WIDTH else 0
    shown = printable(line[start : start + _EXCERPT_WIDTH]).rstrip()
    before = len(printable(line[start:column]))
    if not shown:
        return []
    number = f"{finding.line:>6} | "
    caret = [f"{' ' * (len(number) - 2)}| {' ' * before}^"] if finding.column else []
    return [f"{number}{shown}", *caret]
