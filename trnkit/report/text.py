"""Findings for a person at a terminal: where, what, the line itself, and what to do."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from trnkit.findings import Severity, sort_findings
from trnkit.report.words import count_findings, name_files, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trnkit.findings import Finding

_STYLES = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.INFO: "36"}
_EXCERPT_WIDTH = 100
_NUMBERS = re.compile("[0-9]+")
_FEW, _PLACES = 2, 6


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
        blocks = [_kind(kind, width, sources or {}, color) for kind in _kinds(members)]
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


def _kinds(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Findings of one rule about one resource that want the same, together where the first is."""
    kinds: dict[object, list[Finding]] = {}
    for number, finding in enumerate(findings):
        remedy = (finding.hint, finding.evidence, finding.source)
        about = (finding.rule_id, finding.severity, finding.logical_id, remedy)
        key = number if finding.logical_id is None else about
        kinds.setdefault(key, []).append(finding)
    return list(kinds.values())


def _kind(
    kind: list[Finding], width: int, sources: Mapping[str, Sequence[str]], color: bool
) -> str:
    """Each different message once, and the remedy once below them all."""
    alike: dict[str, list[Finding]] = {}
    for finding in kind:
        alike.setdefault(_NUMBERS.sub("#", finding.message), []).append(finding)
    lines: list[str] = []
    for first, *others in alike.values():
        shown = [first] if len(others) >= _FEW else [first, *others]
        for finding in shown:
            lines += _head(finding, width, sources, color)
        if len(shown) <= len(others):
            places = [_short_place(finding) for finding in others]
            more = ", ..." if len(places) > _PLACES else ""
            at = f"{', '.join(places[:_PLACES])}{more}"
            lines.append(f"    and {len(others)} more of this kind at {printable(at)}")
    remedy = (("fix", kind[0].hint), ("fact", kind[0].evidence), ("see", kind[0].source))
    lines += [f"    {label.ljust(4)}  {printable(text)}" for label, text in remedy if text]
    return "\n".join(lines)


def _short_place(finding: Finding) -> str:
    """`line:column`, or the path below the resource where the line is not known."""
    if finding.line is None:
        return (finding.path or finding.message).partition("/Properties/")[2] or "the resource"
    return f"{finding.line}:{finding.column}" if finding.column else str(finding.line)


def _head(
    finding: Finding, width: int, sources: Mapping[str, Sequence[str]], color: bool
) -> list[str]:
    severity = finding.severity.ljust(7)
    if color:
        severity = f"\x1b[{_STYLES[finding.severity]}m{severity}\x1b[0m"
    place = _place(finding).ljust(width)
    head = f"{place}  {severity}  {finding.rule_id}  {printable(finding.message)}"
    return [head.strip(), *_excerpt(finding, sources)]


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
