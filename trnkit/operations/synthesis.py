"""`trnkit synth`: runs the CDK app in a process of its own and puts its assembly in place.

Hermetic: the process sees no credentials and no account, so the same file gives the same bytes.
The old assembly is replaced only by a whole new one.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trnkit.config.yaml_reader import unreadable
from trnkit.errors import UsageError
from trnkit.findings import fails
from trnkit.operations.file_modes import ordinary_mode
from trnkit.operations.places import (
    NAME_SHOWN,
    OTHER_PLACE,
    STANDARD_INPUT,
    place_at,
    real_path,
    refuse_empty,
)
from trnkit.operations.suppressions import GivenSuppression, suppressed_at_synth
from trnkit.operations.validation_report import read_validation_report
from trnkit.rules.cloud_assembly import (
    AssemblyStack,
    is_assembly,
    read_assembly,
    strange_entries,
)
from trnkit.toolchain import use_bundled_node

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trnkit.config import ClusterFile
    from trnkit.findings import FailOn, Finding

_TERMINATION_SECONDS = 5
_NAMED = 3
_OTHER_OUT = "name another folder with --out"
_NO_CREDENTIALS = {
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthesizedStack:
    """One stack that was synthesized.

    Attributes:
        id: What `cdk deploy` calls it.
        name: Its name in CloudFormation.
        region: Its region, where the file fixes one.
        template: Path of the template.
        resource_types: CloudFormation types and how many of each, in the template's order.
    """

    id: str
    name: str
    region: str | None
    template: Path
    resource_types: dict[str, int]

    @property
    def resources(self) -> int:
        """Number of resources."""
        return sum(self.resource_types.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthesis:
    """What became of a synthesis.

    Attributes:
        succeeded: Whether the assembly is in place.
        directory: Where it is, or would have been.
        stacks: Its stacks; empty after a failure.
        findings: What validation at synthesis said.
        failure: Why it failed, in one sentence, when findings do not say it.
        log: The app's whole output, kept after a failure.
        warnings: Lines the app wrote to standard error although it succeeded.
    """

    succeeded: bool
    directory: Path
    stacks: tuple[SynthesizedStack, ...] = ()
    findings: tuple[Finding, ...] = ()
    failure: str | None = None
    log: Path | None = None
    warnings: tuple[str, ...] = ()


def synthesize(
    files: Sequence[str],
    *,
    app_directory: Path,
    out: str,
    environ: Mapping[str, str],
    validate: bool = True,
    clusters: Sequence[ClusterFile] = (),
    suppress: Sequence[GivenSuppression] = (),
    strict: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Synthesis:
    """Run the app over checked cluster files.

    Args:
        files: Cluster files.
        app_directory: Folder of `app.py` and `cdk.json`.
        out: Where the cloud assembly goes; an assembly that is there is replaced.
        environ: The environment; what the app must not see is taken out.
        validate: Whether the CDK's own validator runs; ours runs in any case.
        clusters: What is in the files; their suppressions of template rules are judged.
        suppress: The suppressions of the command line.
        strict: Whether warnings fail too.
        progress: Told each step as it begins, in a line.

    Raises:
        UnreadableInputError: `out` is something that must not be replaced, or cannot be written.
        UsageError: `out` is empty.
        ToolchainError: There is no Node.js.
    """
    tell = progress or _nobody
    fail_on = "warning" if strict else "error"
    refuse_empty([out], "folder for --out")
    target = real_path(out)
    refuse_to_replace(target, out, files)
    temporary = _temporary_directory(target, out)
    try:
        environment = app_environment(
            environ, app_directory, files, temporary, validate=validate, suppress=suppress
        )
        tell("synthesize: the CDK app writes the templates, and validators look at them")
        completed = _run([sys.executable, "app.py"], app_directory, environment)
        tell("judge: what the template rules and validators found")
        findings = read_validation_report(temporary)
        if completed.returncode == 0 and is_assembly(temporary):
            findings += suppressed_at_synth(clusters, suppress, temporary)
        if completed.returncode != 0 or fails(findings, fail_on=fail_on):
            return _failed(completed, findings, Path(out), fail_on=fail_on)
        if not is_assembly(temporary):
            sentence = "the CDK app wrote no cloud assembly"
            return _failed(completed, findings, Path(out), sentence=sentence)
        temporary.chmod(ordinary_mode(folder=True))
        _replace(target, temporary, out)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    warnings = [] if findings else completed.stderr.splitlines()
    return Synthesis(
        succeeded=True,
        directory=Path(out),
        stacks=tuple(_describe(stack) for stack in read_assembly(Path(out))),
        findings=tuple(_inside(out, finding) for finding in findings),
        warnings=tuple(line for line in warnings if line.strip()),
    )


def refuse_streams(files: Sequence[str]) -> None:
    """The app reads the files again, in a process of its own, which a pipe does not survive.

    Args:
        files: Cluster files as the user named them.

    Raises:
        UsageError: One is standard input or a pipe.
    """
    for file in files:
        if file == STANDARD_INPUT or (file and place_at(file, file) == OTHER_PLACE):
            what = "standard input" if file == STANDARD_INPUT else file
            raise UsageError(
                f"cluster files are read twice here, which {what} cannot be: name a file"
            )


def _nobody(line: str) -> None:
    """Who is told of progress when nobody asked."""


def refuse_to_replace(target: Path, out: str, files: Sequence[str]) -> None:
    """Make sure that replacing `target` loses nothing but an old assembly.

    Args:
        target: What would be replaced.
        out: How the user named it.
        files: The cluster files, which must not be in it.

    Raises:
        UnreadableInputError: It would lose more, or `target` is no folder.
    """
    standing = place_at(out, out)
    if standing == "nothing":
        return
    if standing != "folder":
        raise unreadable(out, f"this is not a folder but a {standing}", _OTHER_OUT)
    if any(target.iterdir()) and not is_assembly(target):
        raise unreadable(
            out,
            "the folder holds something else than a cloud assembly and would be replaced",
            "name an empty or a new folder with --out",
        )
    inside = [file for file in files if target in real_path(file).parents]
    if inside or target == Path.cwd() or target in Path.cwd().parents:
        what = inside[0] if inside else "the current folder"
        raise unreadable(out, f"{what} is in it and would be lost", _OTHER_OUT)
    if strange := [str(entry.relative_to(target)) for entry in strange_entries(target)]:
        more = f" and {len(strange) - _NAMED} more" if len(strange) > _NAMED else ""
        raise unreadable(
            out,
            f"the old cloud assembly holds what no assembly has and would be lost: "
            f"{', '.join(strange[:_NAMED])}{more}",
            "move it elsewhere, or name another folder with --out",
        )


def app_environment(
    environ: Mapping[str, str],
    app_directory: Path,
    files: Sequence[str],
    directory: Path,
    *,
    validate: bool,
    suppress: Sequence[GivenSuppression] = (),
) -> dict[str, str]:
    """The environment of the app: its context and output, Node, and no way to reach AWS."""
    kept = {k: v for k, v in environ.items() if not k.startswith(("AWS_", "CDK_"))}
    settings = json.loads((app_directory / "cdk.json").read_text(encoding="utf-8"))
    context: dict[str, Any] = {
        **settings.get("context", {}),
        "config": [str(Path(file).absolute()) for file in files],
    }
    if suppress:
        context["suppress"] = [f"{entry.rule_id}={entry.reason}" for entry in suppress]
    environment = {
        **kept,
        **_NO_CREDENTIALS,
        "CDK_CONTEXT_JSON": json.dumps(context),
        "CDK_OUTDIR": str(directory),
    }
    if not validate:
        environment["CDK_VALIDATION"] = "false"
    use_bundled_node(environment)
    return environment


def _temporary_directory(target: Path, out: str) -> Path:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{target.name[:NAME_SHOWN]}.", dir=target.parent))
    except OSError as error:
        reason = error.strerror or str(error)
        raise unreadable(out, f"cannot be written: {reason}", _OTHER_OUT) from None


def _run(
    command: list[str], directory: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run to the end; whatever interrupts us ends the process too, by its own id."""
    with subprocess.Popen(
        command,
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        try:
            stdout, stderr = process.communicate()
        except BaseException:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_TERMINATION_SECONDS)
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


def _failed(
    completed: subprocess.CompletedProcess[str],
    findings: Sequence[Finding],
    out: Path,
    *,
    fail_on: FailOn = "error",
    sentence: str | None = None,
) -> Synthesis:
    if fails(findings, fail_on=fail_on):
        return Synthesis(succeeded=False, directory=out, findings=tuple(findings))
    return Synthesis(
        succeeded=False,
        directory=out,
        findings=tuple(findings),
        failure=sentence or last_words(completed.stderr, completed.returncode),
        log=_kept_log(f"exit code {completed.returncode}\n{completed.stdout}\n{completed.stderr}"),
    )


def _kept_log(text: str) -> Path | None:
    """A file with the text; None where temporary files have no room."""
    log: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix="trnkit-synth-", suffix=".log")
        log = Path(name)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError:
        if log is not None:
            log.unlink(missing_ok=True)
        return None
    return log


def last_words(stderr: str, returncode: int) -> str:
    """The line of a program's standard error that says why it ended."""
    lines = [line for line in stderr.splitlines() if line.strip() and not line.startswith("\t")]
    told = [line for line in lines if not line.startswith(("    ", "  File ", "Traceback "))]
    if not told:
        return f"the CDK app ended with exit code {returncode} and without a word"
    words = told[-1].strip()
    name, colon, rest = words.partition(": ")
    is_exception = bool(colon) and name.replace(".", "").isidentifier()
    return rest.strip() if is_exception and rest.strip() and name != "error" else words


def _replace(target: Path, temporary: Path, out: str) -> None:
    """Rename the old one aside and the new one in; on failure the old one is back."""
    aside: Path | None = None
    try:
        if target.exists():
            aside = Path(
                tempfile.mkdtemp(prefix=f".{target.name[:NAME_SHOWN]}.old.", dir=target.parent)
            )
            target.rename(aside / target.name)
        temporary.rename(target)
    except OSError as error:
        if aside is not None and (aside / target.name).exists() and not target.exists():
            (aside / target.name).rename(target)
        reason = error.strerror or str(error)
        raise unreadable(out, f"cannot be replaced: {reason}", _OTHER_OUT) from None
    finally:
        if aside is not None:
            shutil.rmtree(aside, ignore_errors=True)


def _describe(stack: AssemblyStack) -> SynthesizedStack:
    template = json.loads(stack.template.read_text(encoding="utf-8"))
    types: dict[str, int] = {}
    for resource in template.get("Resources", {}).values():
        if resource["Type"] != "AWS::CDK::Metadata":
            types[resource["Type"]] = types.get(resource["Type"], 0) + 1
    return SynthesizedStack(
        id=stack.id,
        name=stack.name,
        region=stack.region,
        template=stack.template,
        resource_types=types,
    )


def _inside(out: str, finding: Finding) -> Finding:
    """The finding with its template's path as the user can open it."""
    if finding.file is None or finding.line is not None:
        return finding  # about a cluster file, which stands where it stood
    return finding.at(file=str(Path(out, finding.file)), line=None, column=None)
