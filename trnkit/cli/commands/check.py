"""`trnkit check`."""

from __future__ import annotations

from typing import Annotated

import typer

from trnkit.cli.output import ReportFormat
from trnkit.cli.quick_check import run_check

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(epilog="Example: trnkit check cluster.yaml --format sarif > trnkit.sarif")
def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Cluster files; - is standard input.")
    ],
    report_format: Annotated[
        ReportFormat, typer.Option("--format", help="How to write the findings.")
    ] = "text",
    strict: Annotated[
        bool, typer.Option("--strict", help="Let warnings fail too, with exit code 1.")
    ] = False,
) -> None:
    """Find every mistake of cluster files, offline: no Node, no AWS.

    Files are also checked against each other. Exit code 0: no errors; 1: errors (with --strict
    warnings too); 2: a file could not be read.
    """
    raise typer.Exit(run_check(files, report_format, strict=strict))
