"""`trnkit rehearse`."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from trnkit.cli.output import (
    DataFormat,
    complain,
    emit,
    exit_code,
    show_findings,
    show_json,
)
from trnkit.cli.rehearsal_keeping import stay
from trnkit.cli.rehearsal_progress import progress_for
from trnkit.cli.signals import unwound_by_signals
from trnkit.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from trnkit.config import ClusterFile
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
            help="Write the result, then leave the emulated AWS running until Ctrl-C, and print "
            "the environment for your own tools (with --format json to standard error).",
        ),
    ] = False,
    steps: Annotated[
        str,
        typer.Option(
            metavar="LIST", help="Steps to take after create: update, fault, destroy, with commas."
        ),
    ] = "create,update,fault,destroy",
    data_format: Annotated[
        DataFormat, typer.Option("--format", help="How to write the result.")
    ] = "text",
) -> None:
    """Deploy clusters to an emulated AWS on this machine with the real CDK command line.

    Needs no account, no credentials and no network. Exit code 0: everything came out as it must;
    1: something did not, or the check found errors; 2: usage, or an input that cannot be read.
    """
    chosen = _steps(steps, keep=keep)
    if keep and len(files) > 1:
        raise UsageError("--keep keeps one emulated AWS running: name one file")
    with _interruption_said():
        raise typer.Exit(_run(files, chosen, data_format, keep=keep))


def _run(files: list[str], steps: tuple[str, ...], data_format: DataFormat, *, keep: bool) -> int:
    from trnkit.emulation.needs import require_emulation
    from trnkit.operations.checking import check_files
    from trnkit.operations.synthesis import refuse_streams
    from trnkit.report.rehearsal import as_json
    from trnkit.report.rehearsal_results import NOT_PROVABLE

    require_emulation()
    refuse_streams(files)
    report = check_files(files)
    if code := exit_code(report.findings):
        show_findings(report.findings, data_format, files=report.files, extra={"rehearsals": []})
        complain("nothing was rehearsed")
        return code
    rehearsals: list[Rehearsal] = []
    good: list[bool] = []

    def show_all() -> None:
        results = [as_json(rehearsal, NOT_PROVABLE) for rehearsal in rehearsals]
        show_json(report.findings, {"files": list(report.files), "rehearsals": results})

    def done(aws: EmulatedAws, rehearsal: Rehearsal) -> None:
        rehearsals.append(rehearsal)
        good.append(rehearsal.succeeded)
        if data_format == "text":
            _show(rehearsal)
        if keep:
            # The whole result first: whoever reads it need not wait for Ctrl-C.
            if data_format == "json":
                show_all()
            good.append(stay(aws, rehearsal.regions, emit if data_format == "text" else complain))

    for cluster in report.clusters:
        _rehearse(cluster, steps, data_format, done)
    if data_format == "json" and not keep:
        show_all()
    return int(not all(good))


@contextlib.contextmanager
def _interruption_said() -> Generator[None]:
    """What a signal ends is not silent."""
    try:
        yield
    except KeyboardInterrupt:
        complain("interrupted; nothing that was started is left")
        raise
    except SystemExit as end:
        name = signal.Signals(int(end.code or 0) - 128).name
        complain(f"ended by {name}; nothing that was started is left")
        raise


def _rehearse(
    cluster: ClusterFile,
    steps: tuple[str, ...],
    data_format: DataFormat,
    done: Callable[[EmulatedAws, Rehearsal], None],
) -> None:
    from trnkit.operations.checking import check_files
    from trnkit.operations.rehearsal.running import rehearse as run
    from trnkit.toolchain import cdk_app_directory

    progress = progress_for(data_format, sys.stdout)

    def keep(aws: EmulatedAws, rehearsal: Rehearsal) -> None:
        progress.done()
        done(aws, rehearsal)

    try:
        with unwound_by_signals():
            run(
                cluster,
                check_files([cluster.file]),
                app_directory=cdk_app_directory(),
                environ=os.environ,
                steps=steps,
                progress=progress,
                keep=keep,
            )
    finally:
        progress.done()


def _show(rehearsal: Rehearsal) -> None:
    from trnkit.report.rehearsal import summary_of
    from trnkit.report.rehearsal_results import NOT_PROVABLE

    emit(summary_of(rehearsal, NOT_PROVABLE))


def _steps(text: str, *, keep: bool) -> tuple[str, ...]:
    from trnkit.report.rehearsal_results import STEPS

    named = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in named if name not in STEPS]
    if unknown or not named:
        what = f"{unknown[0]!r} is no step" if unknown else "no step is named"
        raise UsageError(f"--steps: {what}: name some of {', '.join(STEPS)}")
    # What is destroyed cannot be looked at.
    return tuple(name for name in STEPS if name in named and not (keep and name == "destroy"))
