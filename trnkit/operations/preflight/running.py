"""Runs the checks, all at once, within one bound of time.

A check that breaks, which is a mistake of ours, costs its own answer and not the others'.
"""

from __future__ import annotations

import queue
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from trnkit.aws.failures import AwsFailure, lacks_files
from trnkit.aws.identities import without_identities
from trnkit.errors import UsageError
from trnkit.findings import nearest
from trnkit.operations.preflight.blinding import NO_TIME
from trnkit.operations.preflight.result import CheckResult, Status, ok, unanswered, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.check import PreflightCheck

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRun:
    """What became of a check.

    Attributes:
        check: Which.
        results: Its answers, one at least.
        seconds: How long it took.
        error: What broke it, when it is a mistake of ours.
        applies: Whether there is anything to ask; else it is ok, and says so in one answer.
    """

    check: PreflightCheck
    results: tuple[CheckResult, ...]
    seconds: float
    error: BaseException | None = None
    applies: bool = True

    @property
    def status(self) -> Status:
        """The worst of its answers."""
        order = (Status.FAIL, Status.UNKNOWN, Status.WARNING, Status.OK)
        return min((result.status for result in self.results), key=order.index)


def choose_checks(
    checks: Sequence[PreflightCheck], *, only: Iterable[str] = (), skip: Iterable[str] = ()
) -> tuple[PreflightCheck, ...]:
    """The checks that `--only` and `--skip` leave.

    Args:
        checks: All there are.
        only: Names or ids; () is all.
        skip: Names or ids.

    Raises:
        UsageError: A name is none of a check, or nothing is left.
    """
    wanted, unwanted = _named(checks, only), _named(checks, skip)
    left = [c for c in checks if (c.id in wanted or not wanted) and c.id not in unwanted]
    if not left:
        raise UsageError("--only and --skip together leave no check")
    return tuple(left)


def _named(checks: Sequence[PreflightCheck], names: Iterable[str]) -> set[str]:
    known = {name: check.id for check in checks for name in (check.id, check.name)}
    ids = {name.lower(): check_id for name, check_id in known.items()}
    found: set[str] = set()
    for name in names:
        if name.lower() not in ids:
            close = nearest(name, known)
            hint = f"; nearest: {', '.join(close)}" if close else ""
            raise UsageError(f"there is no check {name!r}{hint}")
        found.add(ids[name.lower()])
    return found


def run_checks(
    checks: Sequence[PreflightCheck],
    account: AccountView,
    *,
    most_seconds: float,
    start: float | None = None,
    progress: Callable[[CheckRun], None] | None = None,
) -> tuple[CheckRun, ...]:
    """Run checks at once; one that does not end in time is unknown.

    Args:
        checks: Which.
        account: Whom they ask.
        most_seconds: Seconds for all together.
        start: When these began, by `time.monotonic`; now, when left out.
        progress: Told each check as it ends.

    Returns:
        What became of each, in the order given.
    """
    ended: queue.SimpleQueue[CheckRun] = queue.SimpleQueue()
    end = (time.monotonic() if start is None else start) + most_seconds
    told: dict[str, list[CheckResult]] = {check.id: [] for check in checks}
    for check in checks:
        # A daemon: a call that hangs must not keep the process from ending.
        arguments = (check, account, told[check.id], ended)
        threading.Thread(target=_work, args=arguments, name=check.name, daemon=True).start()
    found: dict[str, CheckRun] = {}
    while len(found) < len(checks):
        try:
            run = ended.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            break
        found[run.check.id] = run
        if progress:
            progress(run)
    for check in checks:
        if check.id not in found:
            found[check.id] = _late(check, told[check.id], most_seconds)
            if progress:
                progress(found[check.id])
    return tuple(found[check.id] for check in checks)


def _work(
    check: PreflightCheck,
    account: AccountView,
    results: list[CheckResult],
    ended: queue.SimpleQueue[CheckRun],
) -> None:
    start = time.monotonic()
    broken: BaseException | None = None
    try:
        for result in check.run(account):
            if result not in results:  # One cause may answer several questions alike.
                results.append(result)  # What came before a failure, or too late an answer, stays.
    except AwsFailure as failure:
        results.append(unanswered(failure))
    except BaseException as error:  # Whoever waits for the answer must hear of it.
        results.append(_broken(check, error))
        broken = error
    taken = time.monotonic() - start
    kept = tuple(results)
    run = CheckRun(
        check=check,
        results=kept or (ok("the file asks for nothing of it"),),
        seconds=taken,
        error=broken,
        applies=bool(kept),
    )
    ended.put(run)


def _broken(check: PreflightCheck, error: BaseException) -> CheckResult:
    words = without_identities(" ".join(str(error).split()))
    if lacks_files(error):
        remedy = "allow more open files: `ulimit -n 256`"
        return unknown(f"{check.name} could not ask: {words}", remedy=remedy)
    return unknown(
        f"{check.name} broke, which is a mistake of trnkit: {type(error).__name__}: {words}",
        remedy="please report it (TRNKIT_DEBUG=1 shows where it happened)",
    )


def in_time(ask: Callable[[], Answer], most_seconds: float) -> Answer:
    """Ask, and wait no longer than allowed.

    Args:
        ask: What may hang.
        most_seconds: How long to wait.

    Raises:
        TimeoutError: There is no answer by then.
    """
    answer: Future[Answer] = Future()

    def work() -> None:
        try:
            answer.set_result(ask())
        except BaseException as error:  # It is raised where the answer is waited for.
            answer.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return answer.result(timeout=max(0.0, most_seconds))


def _late(check: PreflightCheck, told: list[CheckResult], most_seconds: float) -> CheckRun:
    before = tuple(told)  # The check may go on.
    result = unknown(
        f"{check.name} got {'no further' if before else 'no'} answer within {most_seconds:g} s",
        remedy="check the network and allow more time with --timeout",
    )
    late = replace(result, cause=NO_TIME)
    return CheckRun(check=check, results=(*before, late), seconds=most_seconds)
