"""What was found, as text for people and as JSON for programs."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, NamedTuple

from .outcome import WORST_FIRST, Outcome, Verdict, worst

if TYPE_CHECKING:
    from .expected import Expected

SCHEMA = 1
EXIT_CODES = {"ok": 0, "warning": 0, "failed": 1, "unknown": 3}
EXIT_USAGE = 2
MOST_TEXT = 1000
MOST_NAMES = 4
_COLOURS = {"failed": "1;31", "unknown": "1;35", "warning": "1;33", "ok": "32", "skipped": "2"}
_CONCLUSIONS = {
    "ok": "this node is as expected",
    "warning": "this node can work",
    "unknown": "nothing failed, and not all could be checked",
    "failed": "this node is not fit for work",
}


class Line(NamedTuple):
    """An outcome with the name of its check and what it took."""

    check: str
    outcome: Outcome
    seconds: float

    @property
    def name(self) -> str:
        """The check and what it is about."""
        return clean(f"{self.check} {self.outcome.subject}".strip())


class Report(NamedTuple):
    """All of a run."""

    expected: Expected
    instance_id: str | None
    time: str
    quick: bool
    seconds: float
    lines: tuple[Line, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of all, with unknown worse than warning."""
        return worst([line.outcome.verdict for line in self.lines])


def clean(text: str) -> str:
    """One line of printable ASCII: tools may write anything, terminals obey some of it."""
    shown = " ".join(text.split())[:MOST_TEXT]
    return "".join(letter if " " <= letter <= "~" else "?" for letter in shown)


def as_json(report: Report) -> str:
    """One object."""
    expected = report.expected
    body: dict[str, object] = {
        "schema": SCHEMA,
        "verdict": report.verdict,
        "cluster": expected.cluster,
        "node_group": expected.node_group,
        "instance_type": expected.instance_type,
        **({"instance_id": report.instance_id} if report.instance_id else {}),
        "time": report.time,
        "quick": report.quick,
        "seconds": round(report.seconds, 3),
        "checks": [_line_object(line) for line in report.lines],
    }
    return json.dumps(body, indent=1) + "\n"


def _line_object(line: Line) -> dict[str, object]:
    outcome = line.outcome
    return {
        "check": line.check,
        **({"subject": outcome.subject} if outcome.subject else {}),
        "verdict": outcome.verdict,
        "expected": clean(outcome.expected),
        "found": clean(outcome.found),
        "remedy": clean(outcome.remedy),
        "seconds": round(line.seconds, 3),
    }


def error_as_json(message: str) -> str:
    """The object for a run that could not check anything."""
    body = {"schema": SCHEMA, "verdict": "unknown", "error": clean(message), "checks": []}
    return json.dumps(body, indent=1) + "\n"


def as_text(report: Report, *, width: int, colour: bool) -> str:
    """A page: what failed first, each with its remedy, then the rest, then one line."""
    expected = report.expected
    place = "/".join(part for part in (expected.cluster, expected.node_group) if part)
    title = ["trn-node-check", expected.instance_type, place, report.instance_id or ""]
    order = {verdict: number for number, verdict in enumerate(WORST_FIRST)}
    lines = sorted(report.lines, key=lambda line: order[line.outcome.verdict])
    names = max((len(line.name) for line in lines), default=0)
    names = min(names, 24)
    parts = ["  ".join(clean(part) for part in title if part), ""]
    for line in lines:
        parts += _text_lines(line, names, width, colour=colour)
    return "\n".join([*parts, "", summary(report, names=False), ""])


def _text_lines(line: Line, names: int, width: int, *, colour: bool) -> list[str]:
    outcome = line.outcome
    verdict = outcome.verdict
    word = f"{verdict.upper() if verdict in ('failed', 'unknown', 'warning') else verdict:<8}"
    if colour:
        word = f"\033[{_COLOURS[verdict]}m{word}\033[0m"
    edge = " " * (names + 11)
    said = [("", outcome.found)]
    if verdict in ("failed", "unknown", "warning"):
        said += [("expected: ", outcome.expected), ("do: ", outcome.remedy)]
    body: list[str] = []
    for label, text in said:
        if text:
            room = max(30, width - len(edge) - len(label))
            first, *rest = textwrap.wrap(clean(text), room) or [""]
            body += [label + first, *(" " * len(label) + one for one in rest)]
    head = f"{word} {line.name:<{names}}  "
    if len(line.name) > names:
        return [head.rstrip(), *(edge + one for one in body)]
    return [head + body[0], *(edge + one for one in body[1:])] if body else [head.rstrip()]


def summary(report: Report, *, names: bool = True) -> str:
    """One line, which names what failed or is not known unless a page above it does."""
    counts: list[str] = []
    for verdict in WORST_FIRST:
        found = [line.name for line in report.lines if line.outcome.verdict == verdict]
        more = ", ..." if len(found) > MOST_NAMES else ""
        named = f" ({', '.join(found[:MOST_NAMES])}{more})"
        shown = named if names and verdict in ("failed", "unknown") else ""
        counts += [f"{len(found)} {verdict}{shown}"] if found else []
    said = ", ".join(counts) or "no check was run"
    return f"{said} in {report.seconds:.1f} s: {_CONCLUSIONS[report.verdict]}"
