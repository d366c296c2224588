"""`trnkit synth`."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from trnkit.cli.output import DataFormat, complain, emit, exit_code, show_findings, show_json
from trnkit.report.words import columns, count_of

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from types import FrameType

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
    data_format: Annotated[
        DataFormat, typer.Option("--format", help="How to write the result.")
    ] = "text",
) -> None:
    """Write the CloudFormation templates of clusters. No credentials, no network.

    Checks first. When anything is wrong, the folder of --out stays as it is.
    """
    from trnkit.errors import UnreadableInputError
    from trnkit.operations.checking import check_files
    from trnkit.operations.synthesis import same_names, synthesize
    from trnkit.toolchain import ToolchainError, cdk_app_directory

    report = check_files(files)
    findings = report.findings
    if not exit_code(findings):
        findings += same_names(report.clusters)
    if code := exit_code(findings):
        extra: dict[str, Any] = {"files": list(report.files), "stacks": []}
        show_findings(findings, data_format, files=report.files, extra=extra)
        raise typer.Exit(code)
    if sys.stderr.isatty():
        complain(f"synthesizing {count_of(len(report.files), 'cluster')} ...")
    try:
        with _unwound_by_sigterm():
            synthesis = synthesize(
                report.files,
                app_directory=cdk_app_directory(),
                out=out,
                environ=os.environ,
                validate=cdk_validation,
            )
    except UnreadableInputError as error:
        _refuse(data_format, error, [*findings, error.finding], report.files)
        raise typer.Exit(2) from None
    except ToolchainError as error:
        _refuse(data_format, error, findings, report.files)
        raise typer.Exit(1) from None
    for line in synthesis.warnings:
        complain(line)
    findings += synthesis.findings
    if data_format == "json":
        show_json(findings, _extra(synthesis, list(report.files)))
    else:
        if findings:
            show_findings(findings, "text", files=report.files)
        _tell(synthesis, blank=bool(findings))
    raise typer.Exit(int(not synthesis.succeeded))


@contextlib.contextmanager
def _unwound_by_sigterm() -> Generator[None]:
    """SIGTERM unwinds, so that the app's process is ended and its half-written folder removed."""

    def unwind(number: int, frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    previous = signal.signal(signal.SIGTERM, unwind)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def _refuse(
    data_format: DataFormat, error: Exception, findings: Sequence[Finding], files: Sequence[str]
) -> None:
    """Nothing was run: say why in the format asked for."""
    if data_format == "json":
        failed = {"succeeded": False, "failure": str(error), "stacks": []}
        show_json(findings, {"files": list(files), **failed})
    else:
        complain(f"error: {error}")


def _tell(synthesis: Synthesis, *, blank: bool) -> None:
    if synthesis.succeeded:
        emit(("\n" if blank else "") + _summary(synthesis))
        return
    if synthesis.failure is not None:
        complain(f"error: {synthesis.failure}")
        complain(f"the whole output of the CDK app is in {synthesis.log}")
    complain(f"{synthesis.directory} was left as it was")


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
    return "\n".join([*blocks, "", f"next: cdk deploy --app {directory} {patterns}"])


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
