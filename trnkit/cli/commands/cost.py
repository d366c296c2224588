"""`trnkit cost`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from trnkit.cli.options import OUTPUT
from trnkit.cli.output import read_standard_input, table_width
from trnkit.cli.reporting import (
    Report,
    ReportOptions,
    refuse_output,
    summarize_unseen,
    write_report,
)
from trnkit.errors import UsageError
from trnkit.report.words import on_one_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from trnkit.layout.cost.assumptions import Assumptions
    from trnkit.operations.cost_report import Asked
    from trnkit.operations.costing import Estimate
    from trnkit.report.cost.values import CostReport

CostFormat = Literal["text", "json", "markdown", "html"]

app = typer.Typer(rich_markup_mode=None, add_completion=False)

_FILE = typer.Argument(metavar="FILE", show_default=False, help="The cluster file.")
_COMPARE = typer.Option(
    "--compare", metavar="OLD NEW", help="In place of FILE: what NEW costs more than OLD."
)
_HOURS = typer.Option(
    "--hours-per-month",
    metavar="HOURS",
    help="Hours of a month in which nodes run that no Capacity Block limits.",
)
_USE = typer.Option(
    "--use",
    metavar="NAME=AMOUNT",
    help="What is used in a month, as nat-gb=5000; the report says what can be told. Repeatable.",
)
_SPOT = typer.Option(
    "--spot-price",
    metavar="TYPE=USD",
    help="What a Spot node costs in an hour, as trn1.32xlarge=8.60. Repeatable.",
)
_LIMIT = typer.Option(
    "--fail-above",
    metavar="USD",
    help="Exit with 1 when a month costs more, or may, of unknown price; with --compare, when it "
    "costs so much more.",
)
_EXPLAIN = typer.Option(
    "--explain", help="Show all lines, with the arithmetic and the sources of each."
)
_ALTERNATIVES = typer.Option(
    "--alternatives", help="Add what the same work costs on other instances, GPUs too."
)
_MFU = typer.Option(
    "--mfu",
    metavar="KIND=SHARE",
    help="Share of the peak that training reaches, as trn2=0.35,p5=0.40. Repeatable.",
)
_MONTH = typer.Option(
    "--month",
    metavar="MONTH",
    help="With --format html: the month to show day by day, as 2027-03. Left out: that of the "
    "first Capacity Block.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What the user wants of the report."""

    form: CostFormat
    output: str | None
    explain: bool
    limit: float | None
    alternatives: bool
    asked: Asked
    today: date


@app.command(epilog="Example: trnkit cost cluster.yaml --hours-per-month 200 --use nat-gb=5000")
def cost(
    file: Annotated[str | None, _FILE] = None,
    compare: Annotated[tuple[str, str] | None, _COMPARE] = None,
    hours_per_month: Annotated[float, _HOURS] = 730,
    use: Annotated[list[str] | None, _USE] = None,
    spot_price: Annotated[list[str] | None, _SPOT] = None,
    fail_above: Annotated[float | None, _LIMIT] = None,
    explain: Annotated[bool, _EXPLAIN] = False,
    alternatives: Annotated[bool, _ALTERNATIVES] = False,
    mfu: Annotated[list[str] | None, _MFU] = None,
    month: Annotated[str | None, _MONTH] = None,
    report_format: Annotated[
        CostFormat, typer.Option("--format", help="How to write the report.")
    ] = "text",
    output: Annotated[str | None, OUTPUT] = None,
) -> None:
    """Say what a cluster costs by the hour and the month, offline, at list price.

    What nobody knows is said to be unknown, and no sum counts it as zero. Exit code 0: said; 1:
    a file has errors, or --fail-above is passed or may be; 2: wrong usage, or a file could not be
    read.
    """
    from datetime import UTC, datetime

    from trnkit.operations.cost_report import Asked
    from trnkit.operations.costing import read_assumptions

    today = datetime.now(UTC).date()
    if fail_above is not None and not 0 <= fail_above < float("inf"):
        raise UsageError(f"--fail-above is an amount in US dollars, not {fail_above:g}")
    files = _files(file, compare)
    refuse_output(output, files)
    assumptions = read_assumptions(use or (), spot_price or (), hours_per_month, today)
    wanted = _Wanted(
        form=report_format,
        output=output,
        explain=explain,
        limit=fail_above,
        alternatives=alternatives or bool(mfu),
        asked=Asked(utilisation=tuple(mfu or ()), month=month, today=today),
        today=today,
    )
    _refuse_alternatives(compare, wanted)
    done = _estimates(files, assumptions)
    if len(done) == 1:
        raise typer.Exit(_show(done[0], wanted))
    raise typer.Exit(_show_comparison(done[0], done[1], wanted))


def _files(file: str | None, compare: tuple[str, str] | None) -> Sequence[str]:
    from trnkit.operations.places import STANDARD_INPUT, refuse_empty

    if (file is None) == (compare is None):
        raise UsageError("name one cluster file, or two with --compare OLD NEW")
    files = [file] if file is not None else list(compare or ())
    refuse_empty(files, "cluster file")
    if files.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input is one file: name the other")
    return files


def _refuse_alternatives(compare: tuple[str, str] | None, wanted: _Wanted) -> None:
    if compare is not None and (wanted.alternatives or wanted.form == "html"):
        raise UsageError(
            "--compare is about two versions of a file: leave out --alternatives, "
            "--mfu and --format html"
        )
    if wanted.form == "markdown" and wanted.alternatives:
        raise UsageError("--format markdown has no alternatives: write text, json or html")
    if wanted.asked.month is not None and wanted.form != "html":
        raise UsageError("--month is what --format html shows: add that, or leave --month out")


def _estimates(files: Sequence[str], assumptions: Assumptions) -> list[Estimate]:
    from trnkit.config.loader import MAX_BYTES
    from trnkit.operations.costing import estimate
    from trnkit.operations.places import STANDARD_INPUT

    content = read_standard_input(MAX_BYTES) if STANDARD_INPUT in files else None
    return [estimate(file, assumptions, standard_input=content) for file in files]


def _show(done: Estimate, wanted: _Wanted) -> int:
    from trnkit.operations.cost_report import cost_report
    from trnkit.report.cost.limit_words import limit_words
    from trnkit.report.cost_json import cost_json, limit_json
    from trnkit.report.cost_markdown import cost_markdown
    from trnkit.report.cost_text import cost_lines

    if done.cost is None or done.cluster is None:
        return _show_errors([done], wanted)
    has_more = wanted.alternatives or wanted.form == "html"
    report = cost_report(done, wanted.asked) if has_more else None
    compared = () if report is None else report.compared_spot
    limit = limit_words(done.cluster.config, done.reach)
    lines = cost_lines(
        done.cost,
        wanted.today,
        explain=wanted.explain,
        width=table_width(),
        limit=limit,
        compared=compared,
    )
    extra = {
        "file": done.file,
        **cost_json(done.cost, wanted.today, compared=compared),
        "limit": limit_json(done.reach),
    }
    own = ""
    if wanted.form == "markdown":
        own = cost_markdown(done.cost, wanted.today, limit=limit)
    if report is not None:
        own = _add_alternatives(report, wanted, lines, extra)
    month = done.cost.monthly
    gate = _gate(month.low, month.high, wanted.limit, done.cost.cluster)
    return _write([done], wanted, extra=extra, lines=lines, own=own, gate=gate)


def _add_alternatives(
    report: CostReport, wanted: _Wanted, lines: list[str], extra: dict[str, Any]
) -> str:
    """Add the comparison to the text and the JSON, and return the page, if that is wanted."""
    from trnkit import __version__
    from trnkit.report.cost.alternatives_json import alternatives_json
    from trnkit.report.cost.alternatives_text import alternatives_lines
    from trnkit.report.cost.page import cost_page

    if wanted.alternatives and report.comparison is not None:
        lines += alternatives_lines(
            report.comparison, report.claims, explain=wanted.explain, width=table_width()
        )
        extra["alternatives"] = alternatives_json(report.comparison, report.claims)
    return cost_page(report, __version__) if wanted.form == "html" else ""


def _show_comparison(old: Estimate, new: Estimate, wanted: _Wanted) -> int:
    from trnkit.layout.cost.comparing import compare_costs
    from trnkit.report.cost_comparison import comparison_lines
    from trnkit.report.cost_json import comparison_json
    from trnkit.report.cost_markdown import comparison_markdown

    if old.cost is None or new.cost is None:
        return _show_errors([old, new], wanted)
    compared = compare_costs(old.cost, new.cost)
    more, what = compared.monthly, f"{new.cost.cluster}, the increase"
    markdown = wanted.form == "markdown"
    return _write(
        [old, new],
        wanted,
        extra={"files": [old.file, new.file], **comparison_json(compared, wanted.today)},
        lines=comparison_lines(compared, wanted.today, width=table_width()),
        own=comparison_markdown(compared, wanted.today) if markdown else "",
        gate=_gate(more.least, more.most, wanted.limit, what),
    )


@dataclass(frozen=True, slots=True)
class _Gate:
    """What `--fail-above` says; nothing without it."""

    is_passed: bool
    line: str | None


def _gate(least: float | None, most: float | None, limit: float | None, what: str) -> _Gate:
    """What nobody knows may be above any limit."""
    from trnkit.report.cost_text import over_limit

    if limit is None:
        return _Gate(is_passed=False, line=None)
    passed = most is None or most > limit
    return _Gate(is_passed=passed, line=over_limit(least, most, limit, what))


def _show_errors(done: Sequence[Estimate], wanted: _Wanted) -> int:
    """A file has errors: these, as `trnkit check` says them, and no number.

    Of the forms of a report JSON alone can say so; a page or a table that is there stays as it was.
    """
    findings = [finding for one in done for finding in one.findings]
    kept = None if wanted.form == "json" else wanted.output
    report = Report(
        findings=findings,
        files=[one.file for one in done],
        inputs=[one.file for one in done],
        extra={"files": [one.file for one in done]},
        last_lines=[] if kept is None else [f"\nnothing is written to {on_one_line(kept)}"],
    )
    if wanted.form == "json":
        return write_report(report, ReportOptions(form="json", output=wanted.output))
    return write_report(report, ReportOptions(form="text"))


def _write(
    done: Sequence[Estimate],
    wanted: _Wanted,
    *,
    extra: dict[str, Any],
    lines: Sequence[str],
    own: str,
    gate: _Gate,
) -> int:
    from trnkit.report.cost_markdown import paragraph

    findings = [finding for one in done for finding in one.findings]
    summaries = (summarize_unseen(one.findings, one.file) for one in done if one.findings)
    report = Report(
        findings=findings,
        files=[one.file for one in done],
        inputs=[one.file for one in done],
        extra={**extra, "is_above_limit": gate.is_passed},
        last_lines=[
            *lines,
            *(["", gate.line] if gate.line else []),
            *(f"\n{summary}" for summary in summaries),
        ],
        summary="",
        text_findings=(),
        own=f"{own}\n\n{paragraph(gate.line)}" if wanted.form == "markdown" and gate.line else own,
    )
    form = "own" if wanted.form in ("markdown", "html") else wanted.form
    write_report(report, ReportOptions(form=form, output=wanted.output))
    return int(gate.is_passed)
