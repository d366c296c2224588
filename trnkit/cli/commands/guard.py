"""`trnkit guard`."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from trnkit.cli.output import DataFormat, complain, emit, show_json
from trnkit.errors import UsageError

FILE = typer.Argument(metavar="FILE", help="The cluster file.")
FORMAT = typer.Option("--format", help="How to write the answer.")
BY = typer.Option(
    "--by", metavar="WHO", help="Who wants it (default: user or role of the credentials)."
)
YES = typer.Option("--yes", help="Do not ask; needed where nobody can be asked.")

_ASKED = {
    "approve": "approve what is warned of: nodes of {cluster} will be stopped",
    "call-off": "call off what is warned of for {cluster}",
    "release": "release {cluster}: launches are allowed, and nodes start again",
    "stop-now": "stop {cluster} now: launches are denied, and nodes scaled in to zero",
}

app = typer.Typer(
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
    help="How enforcement of a cluster's spending stands, and what people may tell it. "
    "`trnkit iam-policy --for guard` prints the permissions that it needs. Exit code 0: done; "
    "1: refused, or failed in part; 2: called wrongly; 3: AWS refused.",
)


@app.command(epilog="Example: trnkit guard status cluster.yaml")
def status(file: Annotated[str, FILE], data_format: Annotated[DataFormat, FORMAT] = "text") -> None:
    """Show state, plan, the next step and when it comes; changes nothing."""
    _show(_guard(file).ask("status"), data_format)


@app.command(epilog="Example: trnkit guard audit cluster.yaml --most 50")
def audit(
    file: Annotated[str, FILE],
    most: Annotated[
        int, typer.Option("--most", min=1, max=200, metavar="N", help="Most entries.")
    ] = 20,
    data_format: Annotated[DataFormat, FORMAT] = "text",
) -> None:
    """Show what was decided and done, by whom, the latest first; changes nothing."""
    from trnkit.cli.guard_report import trail_lines

    answer = _guard(file).ask("audit", most=most)
    if not answer.done:
        _show(answer, data_format)
    if data_format == "json":
        show_json(extra=answer.as_json())
    else:
        emit("\n".join(trail_lines(answer)))


@app.command(epilog="Example: trnkit guard approve cluster.yaml")
def approve(
    file: Annotated[str, FILE],
    by: Annotated[str | None, BY] = None,
    yes: Annotated[bool, YES] = False,
    data_format: Annotated[DataFormat, FORMAT] = "text",
) -> None:
    """Let what was warned of be done (mode `approval`), once its grace time is over."""
    _tell("approve", file, by, yes, data_format)


@app.command(epilog="Example: trnkit guard call-off cluster.yaml")
def call_off(
    file: Annotated[str, FILE],
    by: Annotated[str | None, BY] = None,
    yes: Annotated[bool, YES] = False,
    data_format: Annotated[DataFormat, FORMAT] = "text",
) -> None:
    """Call off what was warned of, before it begins."""
    _tell("call-off", file, by, yes, data_format)


@app.command(epilog="Example: trnkit guard release cluster.yaml --yes")
def release(
    file: Annotated[str, FILE],
    by: Annotated[str | None, BY] = None,
    yes: Annotated[bool, YES] = False,
    data_format: Annotated[DataFormat, FORMAT] = "text",
) -> None:
    """Undo all that was done: allow launches, and restore the sizes that were."""
    _tell("release", file, by, yes, data_format)


@app.command(epilog="Example: trnkit guard stop-now cluster.yaml")
def stop_now(
    file: Annotated[str, FILE],
    by: Annotated[str | None, BY] = None,
    yes: Annotated[bool, YES] = False,
    data_format: Annotated[DataFormat, FORMAT] = "text",
) -> None:
    """Stop all unprotected groups without grace time; nodes still may write a checkpoint."""
    _tell("stop-now", file, by, yes, data_format)


def _guard(file: str) -> Any:
    from trnkit.operations.guarding import Guard

    return Guard(file)


def _tell(action: Any, file: str, by: str | None, yes: bool, data_format: DataFormat) -> None:
    guard = _guard(file)
    if not yes:
        _confirm(_ASKED[action].format(cluster=guard.cluster))
    _show(guard.ask(action, by=by), data_format)


def _confirm(what: str) -> None:
    """Ask on the terminal; where nobody can answer, `--yes` is needed.

    Raises:
        UsageError: Nobody can be asked.
    """
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr and sys.stderr.isatty()):
        raise UsageError(f"this would {what}; say --yes where nobody can be asked")
    if not typer.confirm(f"{what[0].upper()}{what[1:]}. Go on?", err=True):
        complain("nothing was changed")
        raise typer.Exit(1)


def _show(answer: Any, data_format: DataFormat) -> None:
    from trnkit.cli.guard_report import status_lines

    if data_format == "json":
        show_json(extra=answer.as_json())
    else:
        emit("\n".join(status_lines(answer)))
    raise typer.Exit(int(not answer.done or bool(answer.errors)))
