"""What all commands do at the end: write one report to standard output, choose the exit code.

Without Typer, because `trnkit check` does without it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from trnkit.findings import has_errors
from trnkit.report.text import render_text, summarize
from trnkit.report.words import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trnkit.findings import Finding

ReportFormat = Literal["text", "json", "sarif"]
DataFormat = Literal["text", "json"]

_UNREADABLE_RULE = "TRN001"
_MAX_SOURCE_BYTES = 10_000_000


def exit_code(findings: Iterable[Finding]) -> int:
    """2 when an input could not be read, 1 for errors, else 0."""
    findings = tuple(findings)
    return 2 if _is_unreadable(findings) else int(has_errors(findings))


def show_findings(
    findings: Sequence[Finding],
    report_format: ReportFormat,
    *,
    files: Sequence[str],
    extra: Mapping[str, Any] | None = None,
    last_lines: Sequence[str] = (),
) -> None:
    """Write a report of findings in the format asked for.

    Args:
        findings: What was found.
        report_format: `text`, `json` or `sarif`.
        files: What was judged, for the summary line.
        extra: Further keys of the JSON object.
        last_lines: Text only: what follows the summary line.
    """
    if report_format == "json":
        show_json(findings, extra)
    elif report_format == "sarif":
        emit(_sarif(findings))
    else:
        body = render_text(findings, sources=_sources(findings), color=uses_color(sys.stdout))
        lines = [*([body, ""] if body else []), summarize(findings, files), *last_lines]
        emit("\n".join(lines))


def show_json(findings: Iterable[Finding] = (), extra: Mapping[str, Any] | None = None) -> None:
    """Write one JSON object with the findings and further keys."""
    from trnkit.report.json_report import render_json

    emit(render_json(findings, extra))


def emit(text: str) -> None:
    """Write to standard output; a reader that has gone away (`| head`) is no error."""
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(message: str) -> None:
    """Write one line to standard error."""
    print(printable(message), file=sys.stderr)


def uses_color(stream: Any) -> bool:
    """Whether a stream is a terminal that wants colours (https://no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and stream.isatty()


def survive_narrow_encodings() -> None:
    """Make standard streams write what their encoding lacks as escapes instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _is_unreadable(findings: Iterable[Finding]) -> bool:
    return any(finding.rule_id == _UNREADABLE_RULE for finding in findings)


def _sarif(findings: Sequence[Finding]) -> str:
    from trnkit import __version__
    from trnkit.operations.explaining import documented_rules
    from trnkit.report.sarif import render_sarif

    return render_sarif(
        findings,
        rules={rule.id: rule for rule in documented_rules()},
        version=__version__,
        directory=Path.cwd(),
        executed=not _is_unreadable(findings),
    )


def _sources(findings: Iterable[Finding]) -> dict[str, list[str]]:
    """Lines of the files that findings point into; what cannot be shown is left out."""
    sources: dict[str, list[str]] = {}
    for finding in findings:
        file = finding.file
        if file is None or finding.line is None or file in sources:
            continue
        path = Path(file)
        try:
            if path.is_file() and path.stat().st_size <= _MAX_SOURCE_BYTES:
                text = path.read_text(encoding="utf-8-sig", errors="replace")
                sources[file] = text.split("\n")
        except (OSError, ValueError):
            continue
    return sources
