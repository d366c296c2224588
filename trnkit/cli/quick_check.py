"""`trnkit check FILE... [--format F] [--strict]`, read without Typer.

Importing Typer takes about as long as the whole check, and `check` is what editors, hooks and
pipelines run most. Whatever is not this plain form (`--help`, a mistyped option) is left to Typer,
whose command calls the same `run_check`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast, get_args

from trnkit.cli.output import ReportFormat, exit_code, read_standard_input, show_findings

if TYPE_CHECKING:
    from collections.abc import Sequence


def quick_check(arguments: Sequence[str]) -> int | None:
    """Run `check` when the arguments are its plain form.

    Returns:
        The exit code; None when Typer must look at the arguments.
    """
    if not arguments or arguments[0] != "check":
        return None
    files: list[str] = []
    report_format = "text"
    strict = False
    rest = iter(arguments[1:])
    for argument in rest:
        if argument == "--format":
            report_format = next(rest, "")
        elif argument.startswith("--format="):
            report_format = argument.partition("=")[2]
        elif argument == "--strict":
            strict = True
        elif argument.startswith("-") and argument != "-":
            return None
        else:
            files.append(argument)
    if not files or report_format not in get_args(ReportFormat):
        return None
    return run_check(files, cast("ReportFormat", report_format), strict=strict)


def run_check(files: Sequence[str], report_format: ReportFormat, *, strict: bool) -> int:
    """Check files, write the report, return the exit code."""
    from trnkit.config.loader import MAX_BYTES
    from trnkit.operations.checking import check_files
    from trnkit.operations.places import STANDARD_INPUT

    content = read_standard_input(MAX_BYTES) if STANDARD_INPUT in files else None
    report = check_files(files, standard_input=content)
    show_findings(
        report.findings,
        report_format,
        files=report.files,
        extra={"files": list(report.files)},
        standard_input=content,
    )
    return exit_code(report.findings, strict=strict)
