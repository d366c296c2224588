"""`trnkit images`."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trnkit.cli.output import (
    DataFormat,
    emit,
    exit_code,
    show_findings,
    show_json,
    tell_who_waits,
)
from trnkit.report.words import columns, count_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.config import LockedImage
    from trnkit.operations.image_listing import ImageListing
    from trnkit.operations.image_refresh import Refresh

app = typer.Typer(
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
    help="The images that cluster files take from a lock: what stands there, and what AWS has.",
)

_HEADINGS = ("REGION", "PARAMETER", "AMI", "NEURON SDK", "MADE", "RESOLVED", "DAYS", "LOCK")

_Files = Annotated[list[str], typer.Argument(metavar="FILE", help="Cluster files.")]
_Format = Annotated[DataFormat, typer.Option("--format", help="How to write it.")]


@app.command("list", epilog="Example: trnkit images list cluster.yaml")
def list_images(
    files: _Files,
    max_age_days: Annotated[
        int, typer.Option(min=0, metavar="DAYS", help="Point out images asked for longer ago.")
    ] = 90,
    data_format: _Format = "text",
) -> None:
    """List what the locks of cluster files hold; asks nobody.

    Exit code 0: every image is there; 1: one is missing or does not fit; 2: a file could not be
    read.
    """
    from trnkit.operations import image_listing

    listing = image_listing.list_images(files, today=datetime.now(UTC).date())
    if data_format == "json":
        show_json(listing.findings, _listed(listing, max_age_days))
    else:
        _show_listing(listing, max_age_days)
    raise typer.Exit(exit_code(listing.findings))


@app.command(epilog="Example: trnkit images refresh cluster.yaml --check")
def refresh(
    files: _Files,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; exit code 1 when a lock is out of date."),
    ] = False,
    timeout: Annotated[
        float,
        typer.Option(min=1, max=3600, metavar="SECONDS", help="For all questions together."),
    ] = 60.0,
    data_format: _Format = "text",
) -> None:
    """Ask AWS what the parameters hold today, and write it into the locks; needs credentials.

    The credentials must allow ssm:GetParameter and ec2:DescribeImages. Exit code 0: done; 1: with
    --check a lock is out of date; 2: a file could not be read or written; 3: AWS refused.
    """
    from trnkit.operations.image_refresh import refresh_images

    today = datetime.now(UTC).date()
    done = refresh_images(
        files,
        today=today,
        check=check,
        most_seconds=timeout,
        progress=tell_who_waits(data_format),
    )
    if data_format == "json":
        show_json(done.findings, _refreshed(done, check=check))
    elif done.findings:
        show_findings(done.findings, "text", files=done.files)
    else:
        _show_refresh(done, check=check)
    raise typer.Exit(exit_code(done.findings) or int(check and done.stale))


def _show_listing(listing: ImageListing, most: int) -> None:
    if listing.images:
        emit(columns([_HEADINGS, *_rows(listing)]))
    if listing.findings:
        emit("") if listing.images else None
        show_findings(listing.findings, "text", files=listing.files)
    if old := listing.older_than(most):
        verb = "was" if len(old) == 1 else "were"
        emit(
            f"\n{count_of(len(old), 'image')} {verb} asked for more than {most} days ago: "
            f"`trnkit images refresh --check {shlex.join(listing.files)}` tells whether there "
            "are newer ones"
        )
    if behind := listing.behind():
        from trnkit.catalog.neuron_sdk import neuron_releases

        verb, newest = "has" if len(behind) == 1 else "have", neuron_releases()[-1]
        emit(
            f"\n{count_of(len(behind), 'image')} {verb} an older Neuron SDK than {newest.version}, "
            f"the newest that trnkit knows (of {newest.released}): move on when your containers "
            "and frameworks do"
        )


def _rows(listing: ImageListing) -> Iterable[tuple[str, ...]]:
    for image in listing.images:
        use, locked = image.use, image.use.locked
        facts = (
            (locked.ami_id, locked.neuron_sdk, locked.created, locked.resolved)
            if locked
            else ("missing", None, None, None)
        )
        age = "-" if image.age_days is None else str(image.age_days)
        told = [fact or "-" for fact in facts]
        yield (use.region, use.ssm_parameter, *told, age, use.lock_file)


def _listed(listing: ImageListing, most: int) -> dict[str, Any]:
    old, behind = listing.older_than(most), listing.behind()
    return {
        "files": list(listing.files),
        "images": [
            {
                "file": image.use.file,
                "groups": list(image.use.groups),
                "ssm_parameter": image.use.ssm_parameter,
                "region": image.use.region,
                "lock_file": image.use.lock_file,
                "locked": _facts(image.use.locked),
                "age_days": image.age_days,
                "old": image in old,
                "behind": image in behind,
            }
            for image in listing.images
        ],
    }


def _show_refresh(done: Refresh, *, check: bool) -> None:
    lines: list[str] = []
    for lock in dict.fromkeys(entry.lock_file for entry in done.entries):
        lines.append(lock)
        for entry in done.entries:
            if entry.lock_file == lock:
                lines.append(f"  {entry.new.region}  {entry.new.ssm_parameter}")
                lines += _difference(entry.old, entry.new)
    lines.append("")
    moved = count_of(sum(entry.moved for entry in done.entries), "image")
    if check:
        files = shlex.join(done.files)
        lines.append(
            f"out of date: {moved} changed; `trnkit images refresh {files}` writes them"
            if done.stale
            else "up to date"
        )
    else:
        lines.append(f"{moved} changed; wrote {', '.join(done.written) or 'nothing'}")
        if done.stale:
            lines.append(
                "next: read the difference, commit it, deploy; running nodes keep their image"
            )
    emit("\n".join(lines))


def _difference(old: LockedImage | None, new: LockedImage) -> list[str]:
    if old is not None and old.ami_id == new.ami_id:
        return [f"    same  {_line(new)}"]
    return [f"    old   {_line(old) if old else 'none'}", f"    new   {_line(new)}"]


def _line(image: LockedImage) -> str:
    facts = [
        image.ami_id,
        f"Neuron SDK {image.neuron_sdk}" if image.neuron_sdk else "",
        f"made {image.created}" if image.created else "",
        image.name or "",
    ]
    return "  ".join(filter(None, facts))


def _refreshed(done: Refresh, *, check: bool) -> dict[str, Any]:
    return {
        "files": list(done.files),
        "check": check,
        "stale": done.stale,
        "written": list(done.written),
        "entries": [
            {
                "lock_file": entry.lock_file,
                "ssm_parameter": entry.new.ssm_parameter,
                "region": entry.new.region,
                "changed": entry.moved,
                "old": _facts(entry.old),
                "new": _facts(entry.new),
            }
            for entry in done.entries
        ],
    }


def _facts(image: LockedImage | None) -> dict[str, Any] | None:
    return image.model_dump(mode="json") if image else None
