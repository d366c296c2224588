"""Findings for a person at a terminal: where, what, the line itself, and what to do."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from trnkit.findings import Severity, sort_findings
from trnkit.report.words import count_findings, name_files, on_one_line, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trnkit.findings import Finding
    from trnkit.rules.rule import Rule

_BOLD = "1"
_FAINT = "2"
_STYLES = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.INFO: "36"}
_EXCERPT_WIDTH = 100
_NUMBERS = re.compile("[0-9]+")
_FEW, _PLACES = 2, 6
_SHORT_EXAMPLE = 6


def render_text(
    findings: Iterable[Finding],
    *,
    sources: Mapping[str, Sequence[str]] | None = None,
    color: bool = False,
    explained: Mapping[str, Rule] | None = None,
) -> str:
    """Write findings, file by file, worst first; each file below a heading when there are several.

    Args:
        findings: In any order.
        sources: Lines of the files, to show the one a finding is about; files may be missing.
        color: Whether to use ANSI colours.
        explained: Rules to explain, by id, each where it is first met.

    Returns:
        Lines without a trailing newline; an empty string when there are no findings.
    """
    page = _Page(sources or {}, color, dict(explained or {}))
    ordered = sort_findings(findings)
    groups = [list(group) for _, group in groupby(ordered, key=lambda finding: finding.file)]
    has_headings = sum(members[0].file is not None for members in groups) > 1
    parts: list[str] = []
    for members in groups:
        file = members[0].file
        if has_headings and file is not None:
            heading = f"{on_one_line(file)}: {count_findings(members)}"
            parts.append(page.styled(heading, _BOLD))
        width = max(len(_place(finding)) for finding in members)
        parts.append("\n".join(page.kind(kind, width) for kind in _kinds(members)) + "\n")
    return "\n".join(parts).removesuffix("\n")


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


class _Page:
    """What is the same for every finding of a report, and which rules are still to be explained."""

    def __init__(
        self, sources: Mapping[str, Sequence[str]], color: bool, explained: dict[str, Rule]
    ) -> None:
        self._sources = sources
        self._color = color
        self._explained = explained

    def styled(self, text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self._color else text

    def kind(self, kind: list[Finding], width: int) -> str:
        """Each different message once, and the remedy once below them all."""
        alike: dict[str, list[Finding]] = {}
        for finding in kind:
            alike.setdefault(_NUMBERS.sub("#", finding.message), []).append(finding)
        lines: list[str] = []
        for first, *others in alike.values():
            shown = [first] if len(others) >= _FEW else [first, *others]
            for finding in shown:
                lines += self._head(finding, width)
            if len(shown) <= len(others):
                places = [_short_place(finding) for finding in others]
                more = ", ..." if len(places) > _PLACES else ""
                at = f"{', '.join(places[:_PLACES])}{more}"
                lines.append(f"    and {len(others)} more of this kind at {on_one_line(at)}")
        remedy = (("fix", kind[0].hint), ("fact", kind[0].evidence), ("see", kind[0].source))
        for label, text in remedy:
            lines += self._labelled(label, printable(text)) if text else []
        lines += self._explanation(kind[0].rule_id)
        return "\n".join(lines)

    def _labelled(self, label: str, text: str) -> list[str]:
        """`    fix   text`; further lines begin where the first one does."""
        first, *rest = text.split("\n")
        return [
            f"    {self.styled(label.ljust(4), _FAINT)}  {first}".rstrip(),
            *(f"          {line}".rstrip() for line in rest),
        ]

    def _explanation(self, rule_id: str) -> list[str]:
        rule = self._explained.pop(rule_id, None)
        if rule is None:
            return []
        import textwrap

        lines = self._labelled("why", printable(textwrap.fill(rule.why, width=90)))
        for label, example in (("bad", rule.bad), ("good", rule.good)):
            text = textwrap.dedent(example).strip("\n")
            # A whole bad template hides the one line that is wrong, and the finding shows that.
            if text and (label == "good" or text.count("\n") < _SHORT_EXAMPLE):
                lines += self._labelled(label, printable(text))
        return lines

    def _head(self, finding: Finding, width: int) -> list[str]:
        style = _STYLES[finding.severity]
        severity = self.styled(finding.severity.ljust(7), style)
        place = _place(finding).ljust(width)
        # Further lines are set in, so that none can pass for a finding of its own.
        message = printable(finding.message).replace("\n", "\n    ")
        head = f"{place}  {severity}  {finding.rule_id}  {message}"
        excerpt = _excerpt(finding, self._sources)
        if len(excerpt) > 1:
            excerpt[-1] = excerpt[-1].removesuffix("^") + self.styled("^", style)
        return [head.strip(), *excerpt]


def _short_place(finding: Finding) -> str:
    """`line:column`, or the path below the resource where the line is not known."""
    if finding.line is None:
        return (finding.path or finding.message).partition("/Properties/")[2] or "the resource"
    return f"{finding.line}:{finding.column}" if finding.column else str(finding.line)


def _place(finding: Finding) -> str:
    """`file:line:column`, and the logical id unless the message begins with it."""
    place, resource = on_one_line(finding.location()), finding.logical_id
    if resource is None or finding.message.startswith(resource):
        return place
    return f"{place} {on_one_line(resource)}".strip()


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
