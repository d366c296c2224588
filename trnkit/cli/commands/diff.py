"""`trnkit diff`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from trnkit.cli.output import (
    DataFormat,
    complain,
    emit,
    show_findings,
    show_json,
    tell_who_waits,
    uses_color,
)
from trnkit.cli.signals import unwound_by_signals

if TYPE_CHECKING:
    from trnkit.operations.diffing import CannotCompareError
    from trnkit.report.change_results import ChangeReport

FailOn = Literal[
    "destroys-data",
    "cannot-be-told",
    "refused",
    "replaces-nodes",
    "replaces",
    "interrupts",
    "safe",
    "never",
]

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(
    epilog="Examples: trnkit diff deployed.yaml cluster.yaml; trnkit diff cdk.out.old cdk.out"
)
def diff(
    old: Annotated[
        str,
        typer.Argument(
            metavar="OLD", help="What is deployed: a cluster file, a template, a folder, a cdk.out."
        ),
    ],
    new: Annotated[
        str, typer.Argument(metavar="NEW", help="What would be deployed: another one of its kind.")
    ],
    fail_on: Annotated[
        FailOn,
        typer.Option(
            "--fail-on", help="Exit with 1 when a change is of this class or of one before it."
        ),
    ] = "destroys-data",
    data_format: Annotated[
        DataFormat, typer.Option("--format", help="How to write the report.")
    ] = "text",
) -> None:
    """Say what an update does: destroys data, replaces nodes, interrupts, or is safe.

    Compares without AWS; what CloudFormation's schemas and documentation do not say is told as
    such. Exit code 0: nothing as bad as --fail-on; 1: something is; 2: an input cannot be read.
    """
    from trnkit.operations.diffing import CannotCompareError, Workshop, compare_inputs
    from trnkit.toolchain import cdk_app_directory

    workshop = Workshop(
        app_directory=cdk_app_directory, environ=os.environ, progress=tell_who_waits(data_format)
    )
    try:
        with unwound_by_signals():
            report = compare_inputs(old, new, workshop)
    except CannotCompareError as error:
        _refuse(error, data_format, old, new)
        raise typer.Exit(2) from None
    _show(report, data_format)
    raise typer.Exit(int(_is_reached(report, fail_on)))


def _is_reached(report: ChangeReport, fail_on: FailOn) -> bool:
    from trnkit.report.change_results import Verdict

    return fail_on != "never" and report.reaches(Verdict(fail_on))


def _show(report: ChangeReport, data_format: DataFormat) -> None:
    from trnkit.report.changes import plain_changes, render_changes

    if data_format == "json":
        show_json((), plain_changes(report))
    else:
        emit(render_changes(report, color=uses_color(sys.stdout)))


def _refuse(error: CannotCompareError, data_format: DataFormat, old: str, new: str) -> None:
    """Nothing can be said: why, in the format asked for."""
    if data_format == "json":
        extra = {"old": old, "new": new, "failure": str(error), "changes": []}
        show_json(error.findings, extra)
        return
    if error.findings:
        show_findings(error.findings, "text", files=[f.file or old for f in error.findings])
    complain(f"error: nothing was compared: {error}")
