"""`trnkit lint`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trnkit.cli.options import (
    EXPLAIN,
    FAIL_ON,
    FORMAT,
    GENERIC,
    OUTPUT,
    REGION,
    SKIP_OTHERS,
    STRICT,
    SUPPRESS,
)
from trnkit.cli.output import complain, read_standard_input, tell_who_waits
from trnkit.cli.reporting import (
    Report,
    ReportFormat,
    ReportOptions,
    chosen_severity,
    write_report,
)
from trnkit.findings import FailOn
from trnkit.report.words import count_of

if TYPE_CHECKING:
    from trnkit.operations.linting import LintReport

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(epilog="Examples: trnkit lint cdk.out; cat t.yaml | trnkit lint - --region us-east-2")
def lint(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH",
            help="Templates, folders, quoted patterns, cloud assemblies (cdk.out), - for stdin.",
        ),
    ],
    report_format: Annotated[ReportFormat, FORMAT] = "text",
    fail_on: Annotated[FailOn | None, FAIL_ON] = None,
    strict: Annotated[bool, STRICT] = False,
    region: Annotated[str | None, REGION] = None,
    skip_others: Annotated[bool, SKIP_OTHERS] = False,
    suppress: Annotated[list[str] | None, SUPPRESS] = None,
    generic: Annotated[bool, GENERIC] = False,
    explain: Annotated[bool, EXPLAIN] = False,
    output: Annotated[str | None, OUTPUT] = None,
) -> None:
    """Judge CloudFormation templates, ours or anybody's, and other tools' documents.

    These are Karpenter, eksctl, ParallelCluster and Kubernetes YAML (docs/other-formats.md).
    Files of one folder that take from each other are judged together. Exit code 0: no errors; 1:
    errors (with --strict warnings too); 2: an input could not be read, or nothing was there to
    lint.
    """
    from trnkit.operations.linting import lint_paths
    from trnkit.operations.places import SHOWN_INPUT, STANDARD_INPUT
    from trnkit.operations.suppressions import read_suppressions
    from trnkit.operations.template_files import MAX_BYTES

    options = ReportOptions(
        form=report_format,
        fail_on=chosen_severity(fail_on, strict=strict),
        explain=explain,
        output=output,
    )
    given = read_suppressions(suppress)
    content = read_standard_input(MAX_BYTES) if STANDARD_INPUT in paths else None
    linted = lint_paths(
        paths,
        region=region,
        standard_input=content,
        skip_others=skip_others,
        suppress=given,
        generic=generic,
        progress=tell_who_waits(),
    )
    judged = [*linted.templates, *linted.documents]
    named = [SHOWN_INPUT if path == STANDARD_INPUT else path for path in paths]
    report = Report(
        findings=linted.findings,
        files=judged or ([] if skip_others else named),
        inputs=[*paths, *judged],
        extra={
            "templates": list(linted.templates),
            "documents": list(linted.documents),
            "skipped": list(linted.skipped),
            "notes": list(linted.notes),
        },
        last_lines=_notes(linted),
        standard_input=content,
        other_rules=linted.other_rules,
    )
    if output is None and report_format in ("sarif", "junit"):
        for note in linted.notes:  # for which these formats have no place
            complain(note)
    raise typer.Exit(write_report(report, options))


def _notes(linted: LintReport) -> list[str]:
    skipped = len(linted.skipped)
    notes = [f"{count_of(skipped, 'file')} skipped: not CloudFormation"] if skipped else []
    return [*notes, *linted.notes]
