"""`trnkit check FILE... [--format F] [--strict] [--fail-on S]`, read without Typer.

Importing Typer takes about as long as the whole check, and `check` is what editors, hooks and
pipelines run most. Whatever is not this plain form (`--help`, a mistyped option) is left to Typer,
whose command calls the same `run_check`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast, get_args

from trnkit.cli.output import read_standard_input
from trnkit.cli.reporting import (
    Report,
    ReportFormat,
    ReportOptions,
    chosen_severity,
    write_report,
)
from trnkit.errors import UnreadableInputError
from trnkit.findings import FailOn, sort_findings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.findings import Finding
    from trnkit.operations.suppressions import GivenSuppression

_VALUES: dict[str, tuple[str, ...]] = {
    "--format": get_args(ReportFormat),
    "--fail-on": get_args(FailOn),
}


def quick_check(arguments: Sequence[str]) -> int | None:
    """Run `check` when the arguments are its plain form.

    Returns:
        The exit code; None when Typer must look at the arguments.
    """
    if not arguments or arguments[0] != "check":
        return None
    files: list[str] = []
    given: dict[str, str] = {}
    strict = False
    rest = iter(arguments[1:])
    for argument in rest:
        name, equals, value = argument.partition("=")
        if name in _VALUES:
            given[name] = value if equals else next(rest, "")
            if given[name] not in _VALUES[name]:
                return None
        elif argument == "--strict":
            strict = True
        elif argument.startswith("-") and argument != "-":
            return None
        else:
            files.append(argument)
    if not files:
        return None
    options = ReportOptions(
        form=cast("ReportFormat", given.get("--format", "text")),
        fail_on=chosen_severity(cast("Any", given.get("--fail-on")), strict=strict),
    )
    return run_check(files, options)


def run_check(
    files: Sequence[str], options: ReportOptions, suppress: Sequence[GivenSuppression] = ()
) -> int:
    """Check files, write the report, return the exit code."""
    from trnkit.config.loader import MAX_BYTES
    from trnkit.operations.checking import check_files
    from trnkit.operations.path_patterns import expand_pattern
    from trnkit.operations.places import STANDARD_INPUT

    names: list[str] = []
    unmatched: list[Finding] = []
    for file in files:
        try:
            names += expand_pattern(file) or (file,)
        except UnreadableInputError as error:
            unmatched.append(error.finding)
    content = read_standard_input(MAX_BYTES) if STANDARD_INPUT in names else None
    checked = check_files(names, standard_input=content, suppress=suppress)
    report = Report(
        findings=sort_findings([*unmatched, *checked.findings]),
        files=checked.files,
        inputs=names,
        extra={"files": list(checked.files)},
        standard_input=content,
    )
    return write_report(report, options)
