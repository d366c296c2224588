"""Causes that leave several questions without an answer; a person is told each of them once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trnkit.aws.failure_kinds import FailureKind
from trnkit.findings import sort_findings
from trnkit.report.words import count_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trnkit.aws.failures import AwsFailure
    from trnkit.findings import Finding

NO_TIME = "the time is over"

_CAUSES = {
    FailureKind.DENIED: "{permission} is not allowed",
    FailureKind.DENIED_BY_ORGANIZATION: "a policy of the organization does not allow {permission}",
    FailureKind.THROTTLED: "AWS throttles",
    FailureKind.NO_CREDENTIALS: "there are no credentials that can be used",
    FailureKind.EXPIRED: "the credentials have expired",
    FailureKind.NOT_ACCEPTED: "the credentials are not accepted in {region}",
    FailureKind.CLOCK: "the clock of this machine is wrong",
    FailureKind.ACCOUNT_NOT_READY: "the account is not ready for use",
    FailureKind.REGION_OFF: "{region} is off for this account",
    FailureKind.LATE: NO_TIME,
    FailureKind.WRONG_ENDPOINT: "there is no endpoint to call",
    FailureKind.UNREACHABLE: "AWS cannot be reached",
}
"""What other questions meet too; the other kinds are about one thing that was asked for."""


def cause_of(failure: AwsFailure) -> str | None:
    """What the failure has in common with those of other questions, if anything."""
    words = _CAUSES.get(failure.kind)
    return words and words.format(permission=failure.permission, region=failure.region)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFinding:
    """A finding of the account.

    Attributes:
        check: The name of the check that has it.
        finding: What it found.
        cause: What left it without an answer, where other checks may meet it too.
    """

    check: str
    finding: Finding
    cause: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldOnce:
    """Findings for a person.

    Attributes:
        findings: In the order of reports; what has one cause and one remedy is one of them.
        of_checks: How many of these each check has part in, by its name.
    """

    findings: tuple[Finding, ...] = ()
    of_checks: Counter[str]


def told_once(found: Iterable[CheckFinding]) -> ToldOnce:
    """Findings with those of one cause as one, which names the checks that it blinds.

    Args:
        found: What all checks found, in their order.
    """
    kinds: dict[object, list[CheckFinding]] = {}
    for one in found:
        key = (one.cause, one.finding.hint) if one.cause else one.finding
        kinds.setdefault(key, []).append(one)
    of_checks = Counter(check for kind in kinds.values() for check in {one.check for one in kind})
    findings = [_joint(kind) for kind in kinds.values()]
    return ToldOnce(findings=sort_findings(findings), of_checks=of_checks)


def _joint(kind: Sequence[CheckFinding]) -> Finding:
    first = kind[0].finding
    if len({one.finding for one in kind}) == 1:
        return first
    names = tuple(dict.fromkeys(one.check for one in kind))
    told = f"{kind[0].cause}, and {count_of(len(names), 'check')} cannot tell: {', '.join(names)}"
    return replace(
        first,
        message=f"unknown: {told}",
        evidence=first.message.removeprefix("unknown: "),
        # It is about no line of the file, and about no page of the first check.
        line=None,
        column=None,
        path=None,
        source=None,
    )
