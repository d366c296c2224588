"""`trnkit iam-policy`."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import typer

from trnkit.cli.output import emit
from trnkit.errors import UsageError

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(epilog="Example: trnkit iam-policy > trnkit-reads.json")
def iam_policy(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            show_default=False,
            help="With --for guard: a cluster file, for its cluster alone. Left out: for all.",
        ),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "--parameter",
            metavar="NAME",
            help="A parameter of your own that holds an image's id; /my/path/* is all below. "
            "Repeatable.",
        ),
    ] = None,
    wanted: Annotated[
        Literal["reads", "guard"],
        typer.Option("--for", help="For what: all that reads, or `trnkit guard`."),
    ] = "reads",
    partition: Annotated[
        Literal["aws", "aws-cn", "aws-us-gov"], typer.Option(help="The partition of the ARNs.")
    ] = "aws",
) -> None:
    """Print the smallest IAM policy with which every command that asks AWS is answered.

    These are `preflight`, `plan`, `images refresh`, `catalog refresh` and `prices refresh`. It
    allows reading only, and printing it asks nobody. What `guard` needs, which runs a function, is
    printed apart.
    """
    from trnkit.operations.preflight.policy import guard_policy, read_only_policy

    if wanted == "guard":
        if parameter:
            raise UsageError("--parameter says nothing with --for guard")
        emit(json.dumps(guard_policy(partition=partition, file=file), indent=2))
        return
    if file is not None:
        raise UsageError("a cluster file says nothing without --for guard")
    emit(json.dumps(read_only_policy(parameter or (), partition=partition), indent=2))
