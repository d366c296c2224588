"""A rehearsal from its first step to its last."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING

from trnkit.emulation.process import EmulationError, emulated_aws
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

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from trnkit.config import ClusterFile
    from trnkit.emulation.process import EmulatedAws
    from trnkit.operations.checking import CheckReport

ACCOUNT = "111122223333"
"""The account id of a rehearsal whose cluster file names none: one that AWS keeps for examples."""


def rehearse(
    cluster: ClusterFile,
    report: CheckReport,
    *,
    app_directory: Path,
    environ: Mapping[str, str],
    steps: Collection[str] = STEPS,
    progress: Progress | None = None,
    keep: Callable[[EmulatedAws, tuple[str, ...]], None] | None = None,
) -> Rehearsal:
    """Deploy a cluster to an emulated AWS with the real command line, step by step.

    Args:
        cluster: A checked cluster file.
        report: Its check, without errors.
        app_directory: Folder of `app.py` and `cdk.json`.
        environ: The environment; nothing of the user's AWS settings is used.
        steps: Which steps to take; ``create`` always comes first.
        progress: Who is told how it goes.
        keep: Called before the emulated AWS ends, with the regions that were used.

    Raises:
        EmulationError: The emulated AWS did not start, or died.
        ToolchainError: There is no Node.js or no CDK command line.
    """
    telling = progress or Progress()
    account = cluster.config.account or ACCOUNT
    began = time.monotonic()
    telling.step("prepare", "start the emulated AWS")
    with emulated_aws(account, seeds=seeds_of(cluster)) as aws:
        started = time.monotonic() - began

        def write(checked: CheckReport, directory: Path) -> str | None:
            made = synthesize(
                list(checked.files),
                app_directory=app_directory,
                out=str(directory),
                environ=environ,
                validate=False,
                clusters=checked.clusters,
            )
            return None if made.succeeded else made.failure or "see trnkit synth"

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
            keep(aws, rehearsal.regions)
    return rehearsal


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
        try:
            goes_on = action()
        except Exception as error:
            if stage.aws.alive:
                raise
            said = stage.aws.messages().splitlines()
            reason = f": {said[-1][:300]}" if said else ""
            raise EmulationError(f"the emulated AWS died during {name}{reason}") from error
        seconds = time.monotonic() - began
        results.steps.append(StepResult(name=name, seconds=seconds, facts=stage.taken()))
        if not goes_on:
            break
    return results


def _peak_memory(aws: EmulatedAws) -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        status = Path(f"/proc/{aws.process.pid}/status").read_text(encoding="ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) // 1024
    return None
