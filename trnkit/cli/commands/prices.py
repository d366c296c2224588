"""`trnkit prices`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from trnkit.cli.output import DataFormat, complain, emit, show_json, tell_who_waits

if TYPE_CHECKING:
    from trnkit.config.prices_file import PricesFile

app = typer.Typer(
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
    help="Show what things cost, each price with its source and date, and ask AWS for its list.",
)

_Format = Annotated[DataFormat, typer.Option("--format", help="How to write it.")]
_File = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="A file of prices that counts first, as in a cluster file."),
]
_Region = Annotated[
    str | None,
    typer.Option("--region", metavar="REGION", help="Where. Left out: all that is known."),
]


@app.command("list", epilog="Example: trnkit prices list --region us-east-2 --item fsx")
def list_prices(
    region: _Region = None,
    item: Annotated[
        str | None,
        typer.Option(
            metavar="PATTERN", help="Only keys with this in them, or that fit it with * and ?."
        ),
    ] = None,
    file: _File = None,
    data_format: _Format = "text",
) -> None:
    """List what can be billed, its unit, and what it costs; asks nobody."""
    from trnkit.cli.price_reporting import list_text, price_values
    from trnkit.operations.price_ages import notes_about_ages
    from trnkit.operations.price_facts import price_facts

    own = _read(file)
    facts = price_facts(region, pattern=item, file=own)
    notes = notes_about_ages((one.price for one in facts), datetime.now(UTC).date(), own)
    if data_format == "json":
        show_json(extra=price_values(facts, notes))
    else:
        emit(list_text(facts, notes))


@app.command(epilog="Example: trnkit prices show trn1.32xlarge --region us-east-2")
def show(
    item: Annotated[
        str, typer.Argument(metavar="ITEM", help="Key of an item, or an EC2 instance type.")
    ],
    region: _Region = None,
    file: _File = None,
    data_format: _Format = "text",
) -> None:
    """Show one price with unit, source, date, and where sources disagree; asks nobody."""
    from trnkit.cli.price_reporting import price_values, show_text
    from trnkit.operations.price_ages import notes_about_ages
    from trnkit.operations.price_facts import facts_about_price

    own = _read(file)
    facts = facts_about_price(item, region, file=own)
    notes = notes_about_ages((one.price for one in facts), datetime.now(UTC).date(), own)
    if data_format == "json":
        show_json(extra=price_values(facts, notes))
    else:
        emit(show_text(facts, notes))


@app.command(epilog="Example: trnkit prices refresh --region us-east-2 --output prices.yaml")
def refresh(
    region: Annotated[
        list[str],
        typer.Option("--region", metavar="REGION", help="Region to ask about. Repeatable."),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output", metavar="FILE", help="Write the list there, for budget.prices_file."
        ),
    ] = None,
    instance_type: Annotated[
        list[str] | None,
        typer.Option(
            "--instance-type",
            metavar="TYPE",
            help="Instance type to ask for. Repeatable. Left out: those of the catalogue that a "
            "Region offers.",
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=1, max=3600, metavar="SECONDS", help="For everything together.")
    ] = 60.0,
    data_format: _Format = "text",
) -> None:
    """Ask the AWS Price List, and compare; needs credentials, only reads.

    They must allow pricing:GetProducts. What people wrote in FILE stays. Exit code 0: done; 2: FILE
    cannot be written, or would lose something; 3: AWS refused, in part or wholly, and FILE is as it
    was.
    """
    from trnkit.cli.price_refreshing import refresh_text, refresh_values
    from trnkit.operations.price_refresh.refreshing import refresh_prices

    done = refresh_prices(
        region,
        today=datetime.now(UTC).date(),
        output=output,
        instance_types=instance_type or (),
        most_seconds=timeout,
        progress=tell_who_waits(data_format),
    )
    if data_format == "json":
        show_json(extra=refresh_values(done))
    else:
        emit(refresh_text(done))
    if done.failure is not None:
        complain(f"error: {output} cannot be written: {done.failure}")
        raise typer.Exit(2)
    raise typer.Exit(3 if done.unanswered else 0)


def _read(file: str | None) -> PricesFile | None:
    if file is None:
        return None
    from trnkit.config.prices_file import load_prices_file

    return load_prices_file(file)
