"""`trnkit plan`."""

from __future__ import annotations

import re
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from trnkit.cli.options import OUTPUT
from trnkit.cli.output import DataFormat, complain, exit_code, table_width, tell_who_waits
from trnkit.cli.reporting import (
    Report,
    ReportOptions,
    refuse_output,
    report_failure,
    summarize_unseen,
    write_report,
)
from trnkit.errors import AwsError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from trnkit.operations.planning.market import RegionMarket
    from trnkit.operations.planning.plan import Plan

app = typer.Typer(rich_markup_mode=None, add_completion=False)

_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
_YEARS = range(2000, 3000)
"""Far enough from what a computer can count to that hours may be added and zones told apart."""

_FILE = typer.Argument(metavar="FILE", show_default=False, help="The cluster file.")
_TYPE = typer.Option("--instance-type", metavar="TYPE", help="Without a file: the instance type.")
_COUNT = typer.Option("--count", min=1, max=1024, metavar="N", help="Without a file: how many.")
_REGIONS = typer.Option(
    "--regions",
    metavar="REGIONS",
    help="Regions to compare, with commas, or `all` that are on for the account. Left out: those "
    "known to have the type; with an existing VPC, its own.",
)
_PURCHASE = typer.Option(
    "--purchase",
    metavar="WAY",
    help="on-demand, on-demand-reservation, spot, capacity-block or all. Repeatable. Left out: as "
    "the file buys; without a file, all.",
)
_HOURS = typer.Option(
    "--hours", min=1, max=100_000, metavar="N", help="For how long; Capacity Blocks need it."
)
_AFTER = typer.Option(
    "--start-after",
    metavar="DATE",
    help="A Capacity Block or a reservation starts then or later; UTC.",
)
_BEFORE = typer.Option(
    "--start-before", metavar="DATE", help="A Capacity Block starts then or earlier; UTC."
)
_DATA = typer.Option(
    "--data-region", metavar="REGION", help="Where the data in S3 is, for a note on its transfer."
)
_LIMIT = typer.Option("--limit", min=1, max=10_000, metavar="N", help="Options that text shows.")
_TIMEOUT = typer.Option(
    "--timeout", min=1, max=3600, metavar="SECONDS", help="For all Regions together."
)
_WRITE = typer.Option("--write", help="Put the best option into FILE.")
_CHOOSE = typer.Option("--choose", min=1, metavar="N", help="With --write: another option.")


@app.command(epilog="Example: trnkit plan --instance-type trn2.48xlarge --count 4 --hours 168")
def plan(
    file: Annotated[str | None, _FILE] = None,
    instance_type: Annotated[str | None, _TYPE] = None,
    count: Annotated[int | None, _COUNT] = None,
    regions: Annotated[str | None, _REGIONS] = None,
    purchase: Annotated[list[str] | None, _PURCHASE] = None,
    hours: Annotated[int | None, _HOURS] = None,
    start_after: Annotated[str | None, _AFTER] = None,
    start_before: Annotated[str | None, _BEFORE] = None,
    data_region: Annotated[str | None, _DATA] = None,
    limit: Annotated[int, _LIMIT] = 20,
    data_format: Annotated[
        DataFormat, typer.Option("--format", help="How to write the plan.")
    ] = "text",
    output: Annotated[str | None, OUTPUT] = None,
    timeout: Annotated[float, _TIMEOUT] = 60.0,
    write: Annotated[bool, _WRITE] = False,
    choose: Annotated[int | None, _CHOOSE] = None,
) -> None:
    """Compare Regions, zones and ways to buy; needs credentials, buys nothing.

    Exit code 0: at least one option can be had, as far as was asked; 1: none; 2: wrong usage, or
    --write could not write; 3: AWS could not be asked at all.
    """
    from trnkit.operations.planning import plan as operation
    from trnkit.operations.planning.aim import PlanOptions
    from trnkit.operations.planning.writing import refuse_place

    if (write or choose is not None) and file is None:
        raise UsageError("--write and --choose need a cluster file to write to: name it")
    if choose is not None and not write:
        raise UsageError("--choose says what --write writes: add --write")
    refuse_output(output, [] if file is None else [file])
    if write and file is not None:
        refuse_place(file)
    said = PlanOptions(
        file=file,
        instance_type=instance_type,
        count=count,
        regions=_names(regions),
        purchases=tuple(purchase or ()),
        hours=hours,
        earliest=_moment(start_after, "--start-after"),
        latest=_moment(start_before, "--start-before"),
        data_region=data_region,
    )
    progress = _progress(tell_who_waits(data_format))
    try:
        done = operation.plan(said, most_seconds=timeout, progress=progress)
    except AwsError as error:
        code = report_failure(error, file, ReportOptions(form=data_format, output=output))
        raise typer.Exit(code) from None
    raise typer.Exit(_finish(done, file, data_format, output, limit, write=write, choose=choose))


def _finish(
    done: Plan,
    file: str | None,
    data_format: DataFormat,
    output: str | None,
    limit: int,
    *,
    write: bool,
    choose: int | None,
) -> int:
    """Write the choice and the report, and return the exit code."""
    from trnkit.cli.plan_json import plan_json
    from trnkit.cli.plan_report import plan_lines, written_lines
    from trnkit.operations.planning.changes import CannotWriteError
    from trnkit.operations.planning.writing import write_choice

    written, refused = None, None
    if write and done.options:
        try:
            written = write_choice(done, choose)
        except CannotWriteError as error:
            refused = error
    lines = plan_lines(done, limit, table_width())
    if written is not None:
        lines += ["", *written_lines(written)]
    named = [file] if file is not None else []
    report = Report(
        findings=done.findings,
        files=named,
        inputs=named,
        extra={
            **plan_json(done),
            "written": written and asdict(written),
            "not_written": refused and str(refused),
            "by_hand": list(refused.by_hand) if refused else [],
        },
        last_lines=lines,
        summary=_summary(done, file),
    )
    write_report(report, ReportOptions(form=data_format, output=output))
    if refused is not None:
        for line in (f"error: {refused}", *(f"  {one}" for one in refused.by_hand)):
            complain(line)
        return 2
    if not done.options:
        return max(1, exit_code(done.findings))
    return int(not done.found)


def _summary(done: Plan, file: str | None) -> str | None:
    """Of the file; a plan shows its errors alone, and does not deny the rest."""
    if file is None:
        return ""  # Nothing was judged.
    if done.file is None or len(done.file.findings) == len(done.findings):
        return None
    return summarize_unseen(done.file.findings, file)


def _names(regions: str | None) -> tuple[str, ...]:
    if regions is None:
        return ()
    names = tuple(name.strip() for name in regions.split(","))
    if not all(names):
        raise UsageError("--regions holds an empty name: is a variable in the command unset?")
    if "all" in names and len(names) > 1:
        raise UsageError("--regions all is every Region: leave out the others, or `all`")
    return names


def _moment(text: str | None, option: str) -> datetime | None:
    """A date, or a date and time; UTC unless it says otherwise."""
    if text is None:
        return None
    try:
        # Python reads more, as weeks and dates without dashes, which nobody means here.
        moment = datetime.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        moment = None
    if moment is None:
        raise UsageError(f"{option} {text!r} is no date: write 2027-03-01 or 2027-03-01T11:30:00Z")
    if moment.year not in _YEARS:
        raise UsageError(
            f"{option} {text!r} is out of range: write a year from {_YEARS[0]} to {_YEARS[-1]}"
        )
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _progress(tell: Callable[[str], None]) -> Callable[[RegionMarket], None]:
    def show(market: RegionMarket) -> None:
        tell(f"{market.region} ({market.seconds:.1f} s)")

    return show
