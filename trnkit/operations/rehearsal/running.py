"""A rehearsal from its first step to its last."""

from __future__ import annotations

import contextlib
import shlex
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from trnkit.emulation.borrowed import of_clients
from trnkit.emulation.process import EmulationError, emulated_aws
from trnkit.errors import TrnkitError
from trnkit.operations.rehearsal.assembly_flaws import flaw_of
from trnkit.operations.rehearsal.assumptions import make_named, seeds_of, told
from trnkit.operations.rehearsal.breaking import break_and_recover
from trnkit.operations.rehearsal.cdk_cli import CdkCli
from trnkit.operations.rehearsal.creating import create, update
from trnkit.operations.rehearsal.destroying import destroy
from trnkit.operations.rehearsal.progress import Progress
from trnkit.operations.rehearsal.proof import Outcome, prove
from trnkit.operations.rehearsal.proof_words import type_proofs
from trnkit.operations.rehearsal.stage import Stage
from trnkit.operations.synthesis import synthesize
from trnkit.report.rehearsal_results import STEPS, Rehearsal, StepResult, TypeProof
from trnkit.report.words import count_findings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Mapping

    from trnkit.config import ClusterFile
    from trnkit.emulation.process import EmulatedAws
    from trnkit.operations.checking import CheckReport

ACCOUNT = "111122223333"
"""The account id of a rehearsal whose cluster file names none: one that AWS keeps for examples."""

_PATIENCE_SECONDS = 1.0
_SYNTHESIS_NEEDS = (
    "HOME",
    "LANG",
    "LC_ALL",
    "PATH",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONPATH",
    "PYTHONPYCACHEPREFIX",
    "SYSTEMROOT",
)


class DamagedAssemblyError(TrnkitError):
    """The assembly that a rehearsal deploys has been changed under its hands."""


def rehearse(
    cluster: ClusterFile,
    report: CheckReport,
    *,
    app_directory: Path,
    environ: Mapping[str, str],
    steps: Collection[str] = STEPS,
    progress: Progress | None = None,
    keep: Callable[[EmulatedAws, Rehearsal], None] | None = None,
) -> Rehearsal:
    """Deploy a cluster to an emulated AWS with the real command line, step by step.

    Args:
        cluster: A checked cluster file.
        report: Its check, without errors.
        app_directory: Folder of `app.py` and `cdk.json`.
        environ: The environment; nothing of the user's AWS settings is used.
        steps: Which steps to take; ``create`` always comes first.
        progress: Who is told how it goes.
        keep: Called before the emulated AWS ends, with the result.

    Raises:
        DamagedAssemblyError: The assembly was changed while it was deployed.
        CdkHungError: The command line did not come to its end.
        EmulationError: The emulated AWS did not start, died, or has no room for its state.
        ToolchainError: There is no Node.js or no CDK command line.
    """
    telling = progress or Progress()
    account = cluster.config.account or ACCOUNT
    began = time.monotonic()
    telling.step("prepare", "start the emulated AWS")
    with emulated_aws(account, seeds=seeds_of(cluster)) as aws:
        started = time.monotonic() - began

        def write(checked: CheckReport, directory: Path) -> str | None:
            return _synthesized(checked, directory, app_directory, environ)

        stage = Stage(
            aws=aws,
            cdk=CdkCli(aws, dict(environ), telling.event),
            cluster=cluster,
            assembly=aws.folder / "assembly",
            progress=telling,
            folder=aws.folder,
        )
        results = _take(stage, report, write, steps, started)
        rehearsal = Rehearsal(
            file=cluster.file,
            cluster=cluster.config.name,
            account=account,
            regions=stage.regions if stage.assembly.exists() else (cluster.config.region,),
            steps=tuple(results.steps),
            types=results.types,
            assumed=told(cluster),
            start_seconds=started,
            memory_mib=_peak_memory(aws),
        )
        if keep is not None:
            keep(aws, rehearsal)
    return rehearsal


def _synthesized(
    checked: CheckReport, directory: Path, app_directory: Path, environ: Mapping[str, str]
) -> str | None:
    """Write the assembly of checked files; what went wrong, in a sentence."""
    try:
        made = synthesize(
            list(checked.files),
            app_directory=app_directory,
            out=str(directory),
            environ=_synthesis_environment(environ, directory.parent),
            validate=False,
            clusters=checked.clusters,
        )
    except (OSError, ValueError):
        if flaw := _taken_away(directory):
            return flaw
        raise
    if made.log is not None:  # kept for `trnkit synth`; nobody would find this one
        made.log.unlink(missing_ok=True)
    if not made.succeeded:
        return made.failure or "see trnkit synth"
    return _taken_away(directory)


def _taken_away(directory: Path) -> str | None:
    """What is wrong with an assembly, which then is no more, so that nobody trips over it."""
    flaw = flaw_of(directory)
    if flaw is not None:
        shutil.rmtree(directory, ignore_errors=True)
    return flaw


def _synthesis_environment(environ: Mapping[str, str], folder: Path) -> dict[str, str]:
    """What Python, Node.js and jsii need to be found; temporary files go where all others go."""
    kept = {name: environ[name] for name in _SYNTHESIS_NEEDS if name in environ}
    jsii = {name: value for name, value in environ.items() if name.startswith("JSII_")}
    return {**kept, **jsii, "TMPDIR": str(folder)}


class _Results:
    """What the steps found so far."""

    def __init__(self) -> None:
        self.steps: list[StepResult] = []
        self.types: tuple[TypeProof, ...] = ()


def _take(
    stage: Stage,
    report: CheckReport,
    write: Callable[[CheckReport, Path], str | None],
    steps: Collection[str],
    started: float,
) -> _Results:
    results = _Results()

    def prepare() -> bool:
        stage.tell(
            True,
            f"trnkit check {shlex.quote(stage.cluster.file)}: {count_findings(report.findings)}",
        )
        stage.tell(True, f"the emulated AWS started in {started:.1f} s on {stage.aws.endpoint}")
        make_named(stage.aws, stage.cluster.config)
        stage.progress.step("prepare", "synthesize")
        failure = write(report, stage.assembly)
        return failure is None or stage.tell(False, f"not synthesized: {failure}")

    def make() -> bool:
        made = create(stage)
        results.types = type_proofs(prove(stage.aws), Outcome.PROVED)
        return made

    actions: dict[str, Callable[[], bool]] = {
        "prepare": prepare,
        "create": make,
        "update": lambda: update(stage, write),
        "fault": lambda: break_and_recover(stage),
        "destroy": lambda: destroy(stage),
    }
    for name, action in actions.items():
        if name in STEPS and name not in steps and name != "create":
            continue
        began = time.monotonic()
        with _explained(stage, name):
            goes_on = action()
        facts = stage.taken()
        seconds = time.monotonic() - began
        results.steps.append(StepResult(name=name, seconds=seconds, facts=facts))
        if not goes_on:
            break
    return results


@contextlib.contextmanager
def _explained(stage: Stage, step: str) -> Generator[None]:
    """Say of any error what it comes from, where the rehearsal's own things are to blame."""
    try:
        yield
    except Exception as error:
        # Connections break a moment before the process is seen to be dead.
        _blame(stage, step, error, patience=_PATIENCE_SECONDS)
        if isinstance(error, of_clients()):
            words = " ".join(str(error).split())[:300]
            raise EmulationError(f"the emulated AWS failed during {step}: {words}") from error
        raise
    if not all(fact.holds for fact in stage.facts):
        _blame(stage, step)


def _blame(
    stage: Stage, step: str, error: Exception | None = None, *, patience: float = 0.0
) -> None:
    if trouble := stage.aws.trouble(step, patience):
        raise EmulationError(trouble) from error
    if stage.assembly.exists() and (flaw := flaw_of(stage.assembly)):
        raise DamagedAssemblyError(f"{flaw}, during {step}: run it again") from error


def _peak_memory(aws: EmulatedAws) -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        status = Path(f"/proc/{aws.process.pid}/status").read_text(encoding="ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) // 1024
    return None
