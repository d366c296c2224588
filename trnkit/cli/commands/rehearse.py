"""`trnkit rehearse`."""

from __future__ import annotations

import os
import shlex
import sys
import time
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from trnkit.cli.output import (
    complain,
    emit,
    exit_code,
    is_terminal,
    show_findings,
    show_json,
)
from trnkit.cli.rehearsal_progress import progress_for
from trnkit.cli.signals import unwound_by_signals

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trnkit.emulation.process import EmulatedAws
    from trnkit.report.rehearsal_results import Rehearsal

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(epilog="Example: trnkit rehearse cluster.yaml --steps create,update")
def rehearse(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Cluster files.")],
    keep: Annotated[
        bool,
        typer.Option(
            "--keep",
            help="Leave the emulated AWS running until Ctrl-C, and print the environment for your "
            "own tools.",
        ),
    ] = False,
    steps: Annotated[
        str,
        typer.Option(
            metavar="LIST", help="Steps to take after create: update, fault, destroy, with commas."
        ),
    ] = "create,update,fault,destroy",
    data_format: Annotated[
        Literal["text", "json"], typer.Option("--format", help="How to write the result.")
    ] = "text",
) -> None:
    """Deploy clusters to an emulated AWS on this machine with the real CDK command line.

    Needs no account, no credentials and no network. Exit code 0: everything came out as it must;
    1: something did not, or the check found errors; 2: usage, or an input that cannot be read.
    """
    from trnkit.emulation.needs import require_emulation
    from trnkit.operations.checking import check_files
    from trnkit.operations.rehearsal.running import rehearse as run
    from trnkit.operations.synthesis import refuse_streams
    from trnkit.report.rehearsal import as_json, summary_of
    from trnkit.report.rehearsal_results import NOT_PROVABLE
    from trnkit.toolchain import cdk_app_directory

    chosen = _steps(steps, keep=keep)
    require_emulation()
    refuse_streams(files)
    report = check_files(files)
    if code := exit_code(report.findings):
        show_findings(report.findings, data_format, files=report.files, extra={"rehearsals": []})
        raise typer.Exit(code)
    rehearsals: list[Rehearsal] = []
    for cluster in report.clusters:
        progress = progress_for(data_format, sys.stdout)
        with unwound_by_signals():
            rehearsal = run(
                cluster,
                check_files([cluster.file]),
                app_directory=cdk_app_directory(),
                environ=os.environ,
                steps=chosen,
                progress=progress,
                keep=_keeper(data_format) if keep else None,
            )
        rehearsals.append(rehearsal)
        if data_format == "text":
            progress.done()
            emit(summary_of(rehearsal, NOT_PROVABLE))
    if data_format == "json":
        results = [as_json(rehearsal, NOT_PROVABLE) for rehearsal in rehearsals]
        show_json(report.findings, {"files": list(report.files), "rehearsals": results})
    raise typer.Exit(int(not all(rehearsal.succeeded for rehearsal in rehearsals)))


def _steps(text: str, *, keep: bool) -> tuple[str, ...]:
    from trnkit.errors import UsageError
    from trnkit.report.rehearsal_results import STEPS

    named = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in named if name not in STEPS]
    if unknown or not named:
        what = f"{unknown[0]!r} is no step" if unknown else "no step is named"
        raise UsageError(f"--steps: {what}: name some of {', '.join(STEPS)}")
    # What is destroyed cannot be looked at.
    return tuple(name for name in STEPS if name in named and not (keep and name == "destroy"))


def _keeper(data_format: str) -> Callable[[EmulatedAws, Sequence[str]], None]:
    def stay(aws: EmulatedAws, regions: Sequence[str]) -> None:
        lines = [
            f"export {name}={shlex.quote(value)}"
            for name, value in aws.variables(regions[0]).items()
        ]
        said = "\n".join(
            [
                "",
                "the emulated AWS stays until Ctrl-C; for your own tools in another terminal:",
                *lines,
            ]
        )
        if data_format == "text":
            emit(said)
        else:
            complain(said)
        try:
            while aws.alive:
                time.sleep(0.2)
            complain("the emulated AWS has ended by itself")
        except KeyboardInterrupt:
            if is_terminal(sys.stderr):
                complain("")
            complain("ending the emulated AWS")

    return stay
