"""`trnkit check`."""

from __future__ import annotations

from typing import Annotated

import typer

from trnkit.cli.options import EXPLAIN, FAIL_ON, FORMAT, OUTPUT, STRICT, SUPPRESS
from trnkit.cli.quick_check import run_check
from trnkit.cli.reporting import ReportFormat, ReportOptions, chosen_severity
from trnkit.findings import FailOn
from trnkit.operations.suppressions import read_suppressions

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(epilog="Example: trnkit check cluster.yaml --format sarif > trnkit.sarif")
def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Cluster files; - is standard input.")
    ],
    report_format: Annotated[ReportFormat, FORMAT] = "text",
    fail_on: Annotated[FailOn | None, FAIL_ON] = None,
    strict: Annotated[bool, STRICT] = False,
    suppress: Annotated[list[str] | None, SUPPRESS] = None,
    explain: Annotated[bool, EXPLAIN] = False,
    output: Annotated[str | None, OUTPUT] = None,
) -> None:
    """Find the mistakes of cluster files, offline: no Node, no AWS.

    Keys and types are told first, what does not go together once these are right. Files are also
    checked against each other. Exit code 0: no errors; 1: errors (with --strict
    warnings too); 2: a file could not be read.
    """
    options = ReportOptions(
        form=report_format,
        fail_on=chosen_severity(fail_on, strict=strict),
        explain=explain,
        output=output,
    )
    raise typer.Exit(run_check(files, options, read_suppressions(suppress)))
