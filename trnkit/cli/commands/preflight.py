"""`trnkit preflight`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from trnkit.cli.options import OUTPUT
from trnkit.cli.output import complain, exit_code
from trnkit.cli.preflight_progress import progress_for
from trnkit.cli.reporting import Report, ReportOptions, write_report
from trnkit.report.words import columns, count_of

if TYPE_CHECKING:
    from trnkit.operations.preflight.preflight import Preflight
    from trnkit.operations.preflight.result import CheckResult
    from trnkit.operations.preflight.running import CheckRun
    from trnkit.report.junit import JunitCase, JunitKind

_INTERRUPTED = 130

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(epilog="Example: trnkit preflight cluster.yaml --skip image --format sarif")
def preflight(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The cluster file.")],
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="CHECK", help="Run this check, by name or id. Repeatable."),
    ] = None,
    skip: Annotated[
        list[str] | None,
        typer.Option("--skip", metavar="CHECK", help="Leave this check out. Repeatable."),
    ] = None,
    timeout: Annotated[
        float,
        typer.Option(min=1, max=3600, metavar="SECONDS", help="For all checks together."),
    ] = 60.0,
    report_format: Annotated[
        Literal["text", "json", "sarif", "junit"],
        typer.Option("--format", help="How to write the report."),
    ] = "text",
    output: Annotated[str | None, OUTPUT] = None,
) -> None:
    """Ask the account whether a cluster can be deployed, here and now; needs credentials.

    Nothing is changed: `trnkit iam-policy` prints all that is asked. Exit code 0: nothing fails,
    and everything was answered; 1: something fails, or is unknown; 2: the file could not be read;
    3: the account could not be asked at all.
    """
    from trnkit.operations.preflight import preflight as operation

    shown = progress_for(report_format, sys.stderr)
    try:
        done = operation.preflight(
            file,
            only=only or (),
            skip=skip or (),
            most_seconds=timeout,
            begun=shown.begun,
            progress=shown.ended,
        )
    except KeyboardInterrupt:
        shown.done()
        complain("interrupted; nothing was changed, in AWS or here")
        raise typer.Exit(_INTERRUPTED) from None
    finally:
        shown.done()
    _raise_when_debugging(done)
    report = Report(
        findings=done.findings,
        files=[file],
        inputs=[file],
        extra={"file": file, "passed": done.passed, "checks": done.as_json()},
        last_lines=_lines(done),
        own_rules=done.rules,
        cases=[_case(run) for run in done.runs],
    )
    write_report(report, ReportOptions(form=report_format, output=output))
    if not done.runs:
        raise typer.Exit(exit_code(done.findings))
    raise typer.Exit(int(not done.passed))


def _raise_when_debugging(done: Preflight) -> None:
    """A mistake of ours in a check is in the report; who looks for it wants to see where it is."""
    if os.environ.get("TRNKIT_DEBUG") == "1":
        for run in done.runs:
            if run.error is not None:
                raise run.error


def _case(run: CheckRun) -> JunitCase:
    from trnkit.report.junit import JunitCase

    kind = {"fail": "failure", "unknown": "error"}.get(run.status, "passed")
    worst = next(result for result in run.results if result.status == run.status)
    return JunitCase(
        name=f"{run.check.id} {run.check.name}",
        kind=cast("JunitKind", kind),
        message=worst.message,
        details="\n".join(map(_told, run.results)),
    )


def _told(result: CheckResult) -> str:
    labelled = (
        ("fact", result.evidence),
        ("fix", result.remedy),
        ("run", result.command),
        ("see", result.look),
    )
    more = [f"  {label}: {text}" for label, text in labelled if text]
    return "\n".join([f"{result.status}: {result.message}", *more])


def _lines(done: Preflight) -> list[str]:
    if not done.runs:
        return ["", "the account was not asked: correct the file first"]
    rows = [
        (run.status.value, run.check.id, run.check.name, result.message)
        for run in done.runs
        for result in run.results
        if result.status == run.status
    ]
    good = sum(run.status.value in ("ok", "warning") for run in done.runs)
    verdict = "can be deployed, as far as was asked" if done.passed else "not ready"
    return ["", columns(rows), "", f"{verdict}: {good} of {count_of(len(done.runs), 'check')} pass"]
