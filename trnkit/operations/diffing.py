"""`trnkit diff`: what an update from one version to another would do, judged offline."""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from trnkit.errors import UsageError
from trnkit.findings import Severity, has_errors
from trnkit.operations.changes.cluster_keys import differing_keys
from trnkit.operations.changes.comparison import compare_stacks
from trnkit.operations.changes.inputs import (
    Input,
    assembly_stacks,
    read_stacks,
    recognise,
    together,
)
from trnkit.operations.checking import check_files
from trnkit.operations.places import STANDARD_INPUT, real_path, refuse_empty
from trnkit.operations.synthesis import refuse_streams, synthesize
from trnkit.report.change_results import ChangeReport
from trnkit.toolchain import ToolchainError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trnkit.config import ClusterFile
    from trnkit.findings import Finding
    from trnkit.operations.changes.stacks import Stack


class CannotCompareError(Exception):
    """A cluster file is wrong, or its templates cannot be made: nothing can be said.

    Attributes:
        findings: What is wrong with it.
        failure: Why its synthesis failed, when findings do not say it.
    """

    def __init__(self, findings: tuple[Finding, ...], failure: str | None = None) -> None:
        """Keep what was found."""
        super().__init__(failure or "a cluster file is wrong")
        self.findings = findings
        self.failure = failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """What it takes to synthesize cluster files.

    Attributes:
        app_directory: Folder of `app.py` and `cdk.json`, asked for when it is needed.
        environ: The environment.
        progress: Told each step as it begins, in a line.
    """

    app_directory: Callable[[], Path]
    environ: Mapping[str, str]
    progress: Callable[[str], None]


def compare_inputs(old: str, new: str, workshop: Workshop) -> ChangeReport:
    """Compare two cluster files, templates, folders of templates or cloud assemblies.

    Args:
        old: What is deployed.
        new: What would be deployed.
        workshop: How cluster files become templates.

    Raises:
        UsageError: Both are of different kinds, or one is standard input.
        UnreadableInputError: One cannot be read.
        CannotCompareError: A cluster file is wrong, or there is no Node.js to synthesize it.
    """
    refuse_empty((old, new), "template or cluster file")
    if STANDARD_INPUT in (old, new) and not Path(STANDARD_INPUT).exists():
        raise UsageError("standard input cannot be compared: write it into a file and name that")
    before, after = recognise(old), recognise(new)
    _refuse_mixture(before, after)
    if before.kind == "cluster file":
        return _compare_clusters(old, new, workshop)
    found = compare_stacks(
        read_stacks(before), read_stacks(after), are_single=before.kind == "template"
    )
    return ChangeReport(
        old=old, new=new, inputs=before.kind, changes=found.changes, notes=found.notes
    )


def _refuse_mixture(old: Input, new: Input) -> None:
    # A folder may hold what an assembly holds, but its stacks are named by their files.
    if old.kind == new.kind:
        return
    raise UsageError(
        f"{old.path} is a {old.kind} and {new.path} is a {new.kind}: name two of one kind "
        "(trnkit synth makes a cloud assembly of a cluster file)"
    )


def _compare_clusters(old: str, new: str, workshop: Workshop) -> ChangeReport:
    refuse_streams((old, new))
    files = [_checked(name) for name in (old, new)]
    # Clusters of one name cannot be in one CDK app, so each has a process, both at once.
    with ThreadPoolExecutor(max_workers=2) as pool:
        sides = [*pool.map(partial(_synthesized, workshop=workshop), _each_once(files))]
    found = compare_stacks(sides[0], sides[-1])
    return ChangeReport(
        old=old,
        new=new,
        inputs="cluster file",
        changes=found.changes,
        keys=differing_keys(*files),
        notes=found.notes,
    )


def _each_once(files: list[ClusterFile]) -> list[ClusterFile]:
    """One file that is named twice is synthesized once."""
    first, second = files
    return [first] if real_path(first.file) == real_path(second.file) else files


def _checked(file: str) -> ClusterFile:
    report = check_files([file])
    if has_errors(report.findings) or not report.clusters:
        errors = tuple(f for f in report.findings if f.severity is Severity.ERROR)
        raise CannotCompareError(errors)
    return report.clusters[0]


def _synthesized(cluster: ClusterFile, workshop: Workshop) -> list[Stack]:
    """The stacks of a cluster file; the folder they were made in is gone afterwards."""
    workshop.progress(f"synthesize: {cluster.file}")
    with tempfile.TemporaryDirectory(prefix="trnkit-diff-") as folder:
        out = str(Path(folder, "cdk.out"))
        try:
            synthesis = synthesize(
                [cluster.file],
                app_directory=workshop.app_directory(),
                out=out,
                environ=workshop.environ,
                validate=False,
            )
        except ToolchainError as error:
            raise CannotCompareError((), str(error)) from None
        if not synthesis.succeeded:
            findings = tuple(
                replace(f, file=cluster.file, line=None, column=None) for f in synthesis.findings
            )
            raise CannotCompareError(findings, synthesis.failure)
        return together([*assembly_stacks(Path(out), shown=False)])
