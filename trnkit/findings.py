"""A finding: one thing that is wrong or worth knowing, in one shape for every check.

The cluster file, foreign templates and (later) a real account are judged by different rooms; all
of them answer with `Finding` values, so that text, JSON and SARIF reports treat them alike.
"""

from __future__ import annotations

import difflib
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable


class Severity(StrEnum):
    """How bad a finding is. Only `ERROR` makes a command fail, unless it is told otherwise."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for error, 1 for warning, 2 for info: worst first when sorted."""
        return list(Severity).index(self)


FailOn = Literal["error", "warning", "info", "never"]
"""The least severity that makes a command fail."""

OWN_TOOL = "trnkit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """Why a finding does not count.

    Attributes:
        kind: Where it is suppressed, in SARIF's words: in the file that is judged, or outside.
        reason: The reason that was given.
    """

    kind: Literal["inSource", "external"]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One observation about an input.

    Attributes:
        rule_id: `TRNnnn`, see docs/rules.md.
        severity: Error, warning or info.
        message: What is wrong: the place in the user's terms, the value got, the values allowed.
        hint: What to do about it, in the imperative; None when nothing needs doing.
        path: The YAML path (`compute.node_groups[0].count`) or the JSON pointer in a template.
        logical_id: The CloudFormation logical id, for findings about templates.
        file: The file as the user named it.
        line: Line in the file, from 1.
        column: Column in the line, from 1.
        evidence: The fact the judgement rests on.
        source: Where the rule is documented, normally a page of AWS.
        tool: Whose rule it is.
        suppression: Set on a finding that was suppressed, which is information then.
    """

    rule_id: str
    severity: Severity
    message: str
    hint: str | None = None
    path: str | None = None
    logical_id: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    evidence: str | None = None
    source: str | None = None
    tool: str = OWN_TOOL
    suppression: Suppression | None = None

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain JSON values; absent ones are None."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        suppression = None if self.suppression is None else asdict(self.suppression)
        return values | {"severity": self.severity.value, "suppression": suppression}

    def location(self) -> str:
        """`file:line:column` as far as it is known, or an empty string."""
        parts = [self.file, self.line, self.column]
        known = parts[: parts.index(None)] if None in parts else parts
        return ":".join(str(part) for part in known)

    def headline(self) -> str:
        """One line: location, severity, rule, message and what to do."""
        place = self.location()
        text = f"{self.severity} {self.rule_id}: {self.message}"
        text = f"{place}: {text}" if place else text
        return f"{text}; {self.hint}" if self.hint else text

    def at(self, *, file: str | None, line: int | None, column: int | None) -> Finding:
        """The same finding with a place in a file."""
        return replace(self, file=file, line=line, column=column)

    def suppressed(self, suppression: Suppression) -> Finding:
        """The same finding as information that says what was suppressed, and why."""
        return replace(
            self,
            severity=Severity.INFO,
            message=f"suppressed ({suppression.reason}): {self.message}",
            hint=None,
            suppression=suppression,
        )


def sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Order findings for a reader: by file, then worst first, then down the file.

    Args:
        findings: In any order; equal ones are kept once.
    """
    unique = dict.fromkeys(findings)
    return tuple(
        sorted(
            unique,
            key=lambda f: (
                f.file or "",
                f.severity.rank,
                f.line or 0,
                f.column or 0,
                f.rule_id,
                f.path or "",
            ),
        )
    )


def has_errors(findings: Iterable[Finding]) -> bool:
    """Whether any finding is an error."""
    return any(finding.severity is Severity.ERROR for finding in findings)


def fails(findings: Iterable[Finding], *, fail_on: FailOn = "error") -> bool:
    """Whether findings make a command fail. What was suppressed never does.

    Args:
        findings: What was found.
        fail_on: The least severity that counts.
    """
    if fail_on == "never":
        return False
    least = Severity(fail_on).rank
    return any(f.severity.rank <= least and f.suppression is None for f in findings)


def nearest(word: str, known: Iterable[str], *, count: int = 3) -> tuple[str, ...]:
    """The known words that look most like `word`, best first.

    Args:
        word: What the user wrote.
        known: The words that would have been right.
        count: At the most so many; a message never lists everything there is.
    """
    lowered = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(word.lower(), lowered, n=count, cutoff=0.5)
    return tuple(lowered[match] for match in close)
