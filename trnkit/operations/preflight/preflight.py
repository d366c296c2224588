"""`trnkit preflight`: checks a file offline, then asks the account."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trnkit.errors import AwsError
from trnkit.findings import Finding, Severity, has_errors, sort_findings
from trnkit.operations.checking import check_files
from trnkit.operations.preflight.blinding import CheckFinding, told_once
from trnkit.operations.preflight.result import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from trnkit.aws.session import AwsSession
    from trnkit.config import ClusterFile
    from trnkit.operations.preflight.blinding import ToldOnce
    from trnkit.operations.preflight.check import PreflightCheck
    from trnkit.operations.preflight.result import CheckResult
    from trnkit.operations.preflight.running import CheckRun
    from trnkit.rules.rule import Rule

MOST_SECONDS = 60.0
"""For all checks together, unless told otherwise."""

_SEVERITIES = {
    Status.FAIL: Severity.ERROR,
    Status.WARNING: Severity.WARNING,
    Status.UNKNOWN: Severity.WARNING,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """What became of it.

    Attributes:
        file: The cluster file.
        findings: Of the file when it has errors, and then nobody was asked; else of the account.
        runs: Every check, in the order of their ids.
        told: The findings of the account for a person: what has one cause once.
        of_file: What the file's own rules find, when the account was asked: no errors.
    """

    file: str
    findings: tuple[Finding, ...]
    runs: tuple[CheckRun, ...] = ()
    told: ToldOnce | None = None
    of_file: tuple[Finding, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether nothing failed and everything was answered; a warning is no failure."""
        good = (Status.OK, Status.WARNING)
        return bool(self.runs) and all(run.status in good for run in self.runs)

    @property
    def rules(self) -> dict[str, Rule]:
        """The documentation of the checks that ran."""
        return {run.check.id: run.check.as_rule() for run in self.runs}

    def as_json(self) -> list[dict[str, Any]]:
        """Every check with its results, as plain JSON values."""
        return [
            {
                "id": run.check.id,
                "name": run.check.name,
                "title": run.check.title,
                "status": run.status.value,
                "applies": run.applies,
                "seconds": round(run.seconds, 3),
                "results": [_result(result) for result in run.results],
            }
            for run in self.runs
        ]


def preflight(
    file: str,
    *,
    only: Iterable[str] = (),
    skip: Iterable[str] = (),
    most_seconds: float = MOST_SECONDS,
    session: AwsSession | None = None,
    begun: Callable[[Sequence[PreflightCheck]], None] | None = None,
    progress: Callable[[CheckRun], None] | None = None,
) -> Preflight:
    """Ask the account whether a cluster file can be deployed, here and now.

    Args:
        file: The cluster file.
        only: Names or ids of the checks to run; () is all.
        skip: Names or ids of checks to leave out.
        most_seconds: Seconds for all together; what has no answer by then is unknown.
        session: Where AWS is asked; the credentials in use when left out.
        begun: Told the checks before they run.
        progress: Told each check as it ends.

    Raises:
        UsageError: A name is none of a check.
        AwsError: There are no credentials, or no question got any answer.
    """
    # Imported here: boto3 is for commands that talk to AWS.
    from trnkit.aws.session import AwsSession
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.check import list_checks
    from trnkit.operations.preflight.running import choose_checks, run_checks

    start = time.monotonic()
    chosen = choose_checks(list_checks(), only=only, skip=skip)
    checked = check_files([file])
    if has_errors(checked.findings):
        return Preflight(file=file, findings=checked.findings)
    (cluster,) = checked.clusters
    session = session or AwsSession(most_seconds=most_seconds)
    _sign_in(session, cluster.config.region, most_seconds)
    account = AccountView(cluster.config, session, file=file)
    if begun:
        begun(chosen)
    runs = run_checks(chosen, account, most_seconds=most_seconds, start=start, progress=progress)
    session.close()
    if not session.answered and any(run.status is Status.UNKNOWN for run in runs):
        raise _unasked(runs)
    found = [one for run in runs for one in _findings(cluster, run)]
    return Preflight(
        file=file,
        findings=sort_findings(one.finding for one in found),
        runs=runs,
        told=told_once(found),
        of_file=tuple(checked.findings),
    )


def _sign_in(session: AwsSession, region: str, most_seconds: float) -> None:
    """Have credentials, which may take as long as a browser or another program does."""
    from trnkit.operations.preflight.running import in_time

    try:
        in_time(lambda: session.credentials(region), most_seconds)
    except TimeoutError:
        raise AwsError(
            f"there were no credentials within {most_seconds:g} s; see what the profile waits for "
            "(credential_process, single sign-on, instance metadata), or allow more with --timeout"
        ) from None


def _unasked(runs: Iterable[CheckRun]) -> AwsError:
    """Why no question got an answer, as the first check says it."""
    first = next(r for run in runs for r in run.results if r.status is Status.UNKNOWN)
    return AwsError(f"the account could not be asked: {first.message}; {first.remedy}")


def _findings(cluster: ClusterFile, run: CheckRun) -> Iterator[CheckFinding]:
    for result in run.results:
        finding = _finding(cluster, run, result)
        if finding is not None:
            yield CheckFinding(check=run.check.name, finding=finding, cause=result.cause)


def _finding(cluster: ClusterFile, run: CheckRun, result: CheckResult) -> Finding | None:
    severity = _SEVERITIES.get(result.status)
    if severity is None:
        return None
    message = result.message
    if result.status is Status.UNKNOWN:
        message = f"unknown: {message}"
    finding = Finding(
        rule_id=run.check.id,
        severity=severity,
        message=message,
        hint=result.hint,
        path=_path_text(result.path) or None,
        evidence=result.evidence,
        source=run.check.source,
    )
    return cluster.place(finding, result.path)


def _path_text(path: Iterable[str | int]) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def _result(result: CheckResult) -> dict[str, Any]:
    return {
        "status": result.status.value,
        "message": result.message,
        "evidence": result.evidence,
        "remedy": result.remedy,
        "command": result.command,
        "look": result.look,
        "path": _path_text(result.path) or None,
    }
