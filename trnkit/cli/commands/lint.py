"""`trnkit lint`."""

from __future__ import annotations

from typing import Annotated

import typer

from trnkit.cli.output import ReportFormat, exit_code, read_standard_input, show_findings
from trnkit.report.words import count_of

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(epilog="Examples: trnkit lint cdk.out; cat t.yaml | trnkit lint - --region us-east-2")
def lint(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH", help="Templates, folders, cloud assemblies (cdk.out), - for stdin."
        ),
    ],
    report_format: Annotated[
        ReportFormat, typer.Option("--format", help="How to write the findings.")
    ] = "text",
    strict: Annotated[
        bool, typer.Option("--strict", help="Let warnings fail too, with exit code 1.")
    ] = False,
    region: Annotated[
        str | None,
        typer.Option(metavar="REGION", help="Region of templates that do not say theirs."),
    ] = None,
) -> None:
    """Judge CloudFormation templates, ours or anybody's, and other tools' documents.

    These are Karpenter, eksctl, ParallelCluster and Kubernetes YAML (docs/other-formats.md).
    Files of one folder are judged together. Exit code 0: no errors; 1: errors (with
    --strict warnings too); 2: an input could not be read, or nothing was there to lint.
    """
    from trnkit.operations.linting import lint_paths
    from trnkit.operations.places import SHOWN_INPUT, STANDARD_INPUT
    from trnkit.operations.template_files import MAX_BYTES

    content = read_standard_input(MAX_BYTES) if STANDARD_INPUT in paths else None
    report = lint_paths(paths, region=region, standard_input=content)
    skipped = len(report.skipped)
    notes = [f"{count_of(skipped, 'file')} skipped: not CloudFormation"] if skipped else []
    show_findings(
        report.findings,
        report_format,
        files=[*report.templates, *report.documents]
        or [SHOWN_INPUT if p == STANDARD_INPUT else p for p in paths],
        extra={
            "templates": list(report.templates),
            "documents": list(report.documents),
            "skipped": list(report.skipped),
            "notes": list(report.notes),
        },
        last_lines=[*notes, *report.notes],
        standard_input=content,
    )
    raise typer.Exit(exit_code(report.findings, strict=strict))
