"""`trnkit synth`."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trnkit.cli.options import STRICT, SUPPRESS
from trnkit.cli.output import (
    DataFormat,
    complain,
    emit,
    exit_code,
    explain,
    show_findings,
    show_json,
    tell_who_waits,
)
from trnkit.cli.signals import unwound_by_signals
from trnkit.findings import sort_findings
from trnkit.report.words import columns, count_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.findings import Finding
    from trnkit.operations.synthesis import Synthesis, SynthesizedStack

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(epilog="Example: trnkit synth cluster.yaml --out cdk.out")
def synth(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Cluster files.")],
    out: Annotated[
        str,
        typer.Option(metavar="DIR", help="The cloud assembly to write; an old one is replaced."),
    ] = "cdk.out",
    cdk_validation: Annotated[
        bool,
        typer.Option(
            "--cdk-validation/--no-cdk-validation",
            help="Run the CDK's own template validator too (a second or two).",
        ),
    ] = True,
    strict: Annotated[bool, STRICT] = False,
    data_format: Annotated[
        DataFormat, typer.Option("--format", help="How to write the result.")
    ] = "text",
    suppress: Annotated[list[str] | None, SUPPRESS] = None,
) -> None:
    """Write the CloudFormation templates of clusters. No credentials, no network.

    Checks first. When anything is wrong, the folder of --out is not touched. Exit code 0: written;
    1: errors (with --strict warnings too); 2: an input cannot be read, or --out not be replaced.
    """
    from trnkit.errors import UnreadableInputError
    from trnkit.findings import fails
    from trnkit.operations.checking import check_files
    from trnkit.operations.suppressions import read_suppressions
    from trnkit.operations.synthesis import refuse_streams, synthesize
    from trnkit.toolchain import ToolchainError, cdk_app_directory

    progress = tell_who_waits(data_format)
    progress(f"check: {count_of(len(files), 'cluster file')}")
    refuse_streams(files)
    given = read_suppressions(suppress)
    report = check_files(files, suppress=given, synthesizing=True)
    findings, files = report.findings, list(report.files)
    fail_on = "warning" if strict else "error"
    if code := exit_code(findings, fail_on=fail_on):
        show_findings(findings, data_format, files=files, extra={"files": files, "stacks": []})
        raise typer.Exit(code)
    try:
        with unwound_by_signals():
            synthesis = synthesize(
                files,
                app_directory=cdk_app_directory(),
                out=out,
                environ=os.environ,
                validate=cdk_validation,
                clusters=report.clusters,
                suppress=given,
                strict=strict,
                progress=progress,
            )
    except UnreadableInputError as error:
        _refuse(data_format, error, [*findings, error.finding], files)
        raise typer.Exit(2) from None
    except ToolchainError as error:
        _refuse(data_format, error, findings, files)
        raise typer.Exit(1) from None
    for line in _not_told_yet(synthesis.warnings, findings):
        complain(line)
    findings = sort_findings([*findings, *synthesis.findings])
    _show(synthesis, findings, data_format, files)
    raise typer.Exit(int(not synthesis.succeeded or fails(findings, fail_on=fail_on)))


def _show(
    synthesis: Synthesis, findings: Sequence[Finding], data_format: DataFormat, files: list[str]
) -> None:
    if data_format == "json":
        show_json(findings, _extra(synthesis, files))
    else:
        if findings:
            show_findings(findings, "text", files=files)
        _tell(synthesis, blank=bool(findings))


def _not_told_yet(lines: Sequence[str], findings: Sequence[Finding]) -> list[str]:
    """What the app said beyond the findings of the check, which it repeats."""
    told = tuple(finding.at(file=None, line=None, column=None).headline() for finding in findings)
    return [line for line in lines if not line.endswith(told)]


def _refuse(
    data_format: DataFormat, error: Exception, findings: Sequence[Finding], files: Sequence[str]
) -> None:
    """Nothing was run: say why in the format asked for."""
    if data_format == "json":
        failed = {"succeeded": False, "failure": str(error), "stacks": []}
        show_json(findings, {"files": list(files), **failed})
    else:
        complain(explain(error)[1])


def _tell(synthesis: Synthesis, *, blank: bool) -> None:
    if synthesis.succeeded:
        emit(("\n" if blank else "") + _summary(synthesis))
        return
    if synthesis.failure is not None:
        complain(f"error: {synthesis.failure}")
        if synthesis.log is not None:
            complain(f"the whole output of the CDK app is in {synthesis.log}")
    kept = synthesis.directory.exists()
    complain(f"{synthesis.directory} was {'left as it was' if kept else 'not made'}")


def _extra(synthesis: Synthesis, files: list[str]) -> dict[str, Any]:
    return {
        "files": files,
        "directory": str(synthesis.directory),
        "succeeded": synthesis.succeeded,
        "failure": synthesis.failure,
        "log": str(synthesis.log) if synthesis.log else None,
        "stacks": [
            {
                "id": stack.id,
                "name": stack.name,
                "region": stack.region,
                "template": str(stack.template),
                "resources": stack.resources,
                "resource_types": stack.resource_types,
            }
            for stack in synthesis.stacks
        ],
    }


def _summary(synthesis: Synthesis) -> str:
    blocks = [_stack_text(stack) for stack in synthesis.stacks]
    stages = dict.fromkeys(stack.id.partition("/")[0] for stack in synthesis.stacks)
    patterns = " ".join(shlex.quote(f"{stage}/*") for stage in stages)
    directory = shlex.quote(str(synthesis.directory))
    cdk = shlex.quote(_cdk())
    return "\n".join(
        [
            *blocks,
            "",
            f"next: {cdk} bootstrap --app {directory}    (once per account and region)",
            f"      {cdk} deploy --app {directory} {patterns}",
        ]
    )


def _cdk() -> str:
    """How to call the CDK command line from here: the one of the environment when no other is."""
    if shutil.which("cdk") is not None:
        return "cdk"
    own = Path(sys.executable).parent / "cdk"
    if not own.is_file():
        return "cdk"
    with contextlib.suppress(ValueError):
        return str(own.relative_to(Path.cwd()))
    return str(own)


def _stack_text(stack: SynthesizedStack) -> str:
    region = stack.region or "any region"
    rows = [
        ("template", str(stack.template)),
        ("holds", f"{count_of(stack.resources, 'resource')}: {_contents(stack.resource_types)}"),
    ]
    return f"{stack.name} ({region})\n{columns(rows, indent='  ')}"


def _contents(types: dict[str, int]) -> str:
    """`LaunchTemplate, AutoScalingGroup, 2 Roles`."""
    kinds: Counter[str] = Counter()
    for name, number in types.items():
        kinds[name.rpartition("::")[2]] += number
    return ", ".join(kind if n == 1 else count_of(n, kind) for kind, n in kinds.items())
