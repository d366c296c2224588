"""What a check answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, TypedDict, Unpack

from trnkit.operations.preflight.blinding import cause_of

if TYPE_CHECKING:
    from trnkit.aws.failures import AwsFailure
    from trnkit.config.yaml_reader import Path

_ASKED: Path = ("region",)
"""Where an answer stands that is about the account alone: who was asked, and not the first line."""


class Status(StrEnum):
    """What is known of the account. `UNKNOWN` is never ok."""

    OK = "ok"
    FAIL = "fail"
    WARNING = "warning"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """One answer of a check.

    Attributes:
        status: How it is.
        message: What is so, in the user's terms.
        evidence: What AWS said, as far as the message does not.
        remedy: What to do, in the imperative; None when nothing needs doing.
        command: The command that does it, and mends what is wrong.
        look: The command that only shows more.
        path: The YAML path of what the answer is about.
        cause: What left it without an answer, where other questions may meet it too.
    """

    status: Status
    message: str
    evidence: str | None = None
    remedy: str | None = None
    command: str | None = None
    look: str | None = None
    path: Path = ()
    cause: str | None = None

    @property
    def hint(self) -> str | None:
        """What to do in one line, with the commands: that which mends, and that which shows."""
        mends = f"{self.remedy}: `{self.command}`" if self.command else self.remedy
        return f"{mends}; see: `{self.look}`" if self.look else mends


def ok(message: str, *, evidence: str | None = None, path: Path = ()) -> CheckResult:
    """All is well."""
    return CheckResult(status=Status.OK, message=message, evidence=evidence, path=path)


class _More(TypedDict, total=False):
    """What an answer may have beside its message and remedy; see `CheckResult`."""

    evidence: str | None
    command: str | None
    look: str | None
    path: Path


def fail(message: str, *, remedy: str, **more: Unpack[_More]) -> CheckResult:
    """The deployment, or its nodes, would fail."""
    return CheckResult(status=Status.FAIL, message=message, remedy=remedy, **more)


def warning(message: str, *, remedy: str, **more: Unpack[_More]) -> CheckResult:
    """It would work, and not as well as it could, or not for long."""
    return CheckResult(status=Status.WARNING, message=message, remedy=remedy, **more)


def unknown(message: str, *, remedy: str, **more: Unpack[_More]) -> CheckResult:
    """Nobody could tell."""
    told: _More = {"path": _ASKED, **more}
    return CheckResult(status=Status.UNKNOWN, message=message, remedy=remedy, **told)


def unanswered(failure: AwsFailure, *, path: Path = _ASKED) -> CheckResult:
    """AWS gave no answer: a denied permission is no sign that all is well.

    Args:
        failure: Why.
        path: The YAML path of what was asked about.
    """
    message, _, remedy = str(failure).rpartition("; ")
    more = "; `trnkit iam-policy` prints all of them" if failure.permission else ""
    if failure.permission == "ssm:GetParameter":
        more += ", with `--parameter NAME` also for one of your own"
    result = unknown(message, remedy=f"{remedy}{more}", path=path)
    return replace(result, cause=cause_of(failure))
