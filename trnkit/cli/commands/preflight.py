"""`trnkit preflight`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from trnkit.cli.options import OUTPUT
from trnkit.cli.output import complain, exit_code
from trnkit.cli.preflight_progress import progress_for
from trnkit.cli.preflight_report import preflight_lines, summary_of
from trnkit.cli.reporting import (
    Report,
    ReportOptions,
    refuse_output,
    report_failure,
    write_report,
)
from trnkit.errors import AwsError

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

    refuse_output(output, [file])
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
    except AwsError as error:
        shown.done()
        code = report_failure(error, file, ReportOptions(form=report_format, output=output))
        raise typer.Exit(code) from None
    except KeyboardInterrupt:
        shown.done()
        complain("interrupted; nothing was changed, in AWS or here")
        raise typer.Exit(_INTERRUPTED) from None
    finally:
        shown.done()
    _raise_when_debugging(done)
    write_report(_report(done), ReportOptions(form=report_format, output=output))
    if not done.runs:
        raise typer.Exit(exit_code(done.findings))
    raise typer.Exit(int(not done.passed))


def _report(done: Preflight) -> Report:
    return Report(
        findings=done.findings,
        files=[done.file],
        inputs=[done.file],
        extra={
            "file": done.file,
            "passed": done.passed,
            "checks": done.as_json(),
            "file_findings": [finding.as_dict() for finding in done.of_file],
        },
        summary=summary_of(done),
        text_findings=done.told and done.told.findings,
        last_lines=preflight_lines(done),
        own_rules=done.rules,
        cases=[_case(run) for run in done.runs],
    )


def _raise_when_debugging(done: Preflight) -> None:
    """A mistake of ours in a check is in the report; who looks for it wants to see where it is."""
    if os.environ.get("TRNKIT_DEBUG") == "1":
        for run in done.runs:
            if run.error is not None:
                raise run.error


def _case(run: CheckRun) -> JunitCase:
    from trnkit.report.junit import JunitCase

    well = "passed" if run.applies else "skipped"
    kind = {"fail": "failure", "unknown": "error"}.get(run.status, well)
    worst = next(result for result in run.results if result.status == run.status)
    return JunitCase(
        name=f"{run.check.id} {run.check.name}",
        kind=cast("JunitKind", kind),
        message=worst.message,
        details="\n".join(map(_told, run.results)),
        seconds=run.seconds,
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
