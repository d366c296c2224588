"""`trnkit init`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from trnkit.cli.output import complain, emit
from trnkit.report.words import columns

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(epilog="Example: trnkit init pretrain.yaml --example trn2-pretrain")
def init(
    path: Annotated[str, typer.Argument(help="The file to write.")] = "cluster.yaml",
    example: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Write this shipped example instead of the starter."),
    ] = None,
    list_examples: Annotated[
        bool, typer.Option("--list-examples", help="Print the shipped examples, and write nothing.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write a commented cluster file to start from."""
    from trnkit.errors import TrnkitError
    from trnkit.operations.starter import (
        companions,
        example_titles,
        starter_text,
        write_companion,
        write_starter,
    )

    if list_examples:
        emit(columns(list(example_titles().items())))
        return
    written = path
    try:
        text = starter_text(example)
        for name, content in companions(example).items():
            other = str(Path(path).parent / name)
            write_companion(other, content, force=force)
            written += f" and {other}"
        write_starter(path, text, force=force)
    except TrnkitError as error:
        complain(f"error: {error}")
        raise typer.Exit(2) from None
    emit(
        f"wrote {written}\nnext: edit the lines marked yours, then trnkit check {shlex.quote(path)}"
    )
