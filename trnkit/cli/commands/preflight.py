"""`trnkit preflight`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from trnkit.cli.options import OUTPUT
from trnkit.cli.output import exit_code, tell_who_waits
from trnkit.cli.reporting import Report, ReportOptions, write_report
from trnkit.report.words import columns, count_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from trnkit.operations.preflight.preflight import Preflight
    from trnkit.operations.preflight.running import CheckRun

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
        Literal["text", "json", "sarif"], typer.Option("--format", help="How to write the report.")
    ] = "text",
    output: Annotated[str | None, OUTPUT] = None,
) -> None:
    """Ask the account whether a cluster can be deployed, here and now; needs credentials.

    Nothing is changed: `trnkit iam-policy` prints all that is asked. Exit code 0: nothing fails,
    and everything was answered; 1: something fails, or is unknown; 2: the file could not be read;
    3: the account could not be asked at all.
    """
    from trnkit.operations.preflight import preflight as operation

    done = operation.preflight(
        file,
        only=only or (),
        skip=skip or (),
        most_seconds=timeout,
        progress=_progress(tell_who_waits("text" if report_format == "text" else "json")),
    )
    report = Report(
        findings=done.findings,
        files=[file],
        inputs=[file],
        extra={"file": file, "passed": done.passed, "checks": done.as_json()},
        last_lines=_lines(done),
        own_rules=done.rules,
    )
    write_report(report, ReportOptions(form=report_format, output=output))
    if not done.runs:
        raise typer.Exit(exit_code(done.findings))
    raise typer.Exit(int(not done.passed))


def _progress(tell: Callable[[str], None]) -> Callable[[CheckRun], None]:
    def show(run: CheckRun) -> None:
        tell(f"{run.status:<8} {run.check.name} ({run.seconds:.1f} s)")

    return show


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
