"""What the enforcer answers `trnkit guard`, judged before anybody is shown any of it.

The function is as old as its deployment: a newer or older trnkit may ask it. What an answer has
more than this does no harm; what it lacks is said by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from trnkit.errors import AwsError

if TYPE_CHECKING:
    from collections.abc import Mapping

GuardAction = Literal["status", "audit", "approve", "call-off", "release", "stop-now"]

_Finite = Annotated[float, Field(allow_inf_nan=False)]


class _Told(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


class _Plan(_Told):
    at_usd: _Finite | None
    at_spend_rate_usd_per_hour: _Finite | None
    grace_minutes: int
    checkpoint_minutes: int
    idle_minutes: int
    would_touch: list[str]
    never_touched: list[str]
    stops_when_idle: list[str]


class _Observation(_Told):
    at: str
    is_fresh: bool
    month: str
    month_to_date_usd: _Finite
    spend_rate_usd_per_hour: _Finite
    unpriced_instances: int
    faults: list[str]


class _Next(_Told):
    step: str
    not_before: str | None


class _Progress(_Told):
    step: str
    failing: str | None
    reason: str | None


class _Episode(_Told):
    key: str
    stage: str
    dry_run: bool
    cause: str
    began: str
    groups: dict[str, _Progress]
    next: _Next


class _Before(_Told):
    desired: int


class _Hold(_Told):
    by: list[str]
    before: _Before


class _Allowance(_Told):
    by: str
    until: str
    up_to: _Finite | None


class _Status(_Told):
    cluster: str
    mode: str | None
    idle_mode: str | None
    stage: str
    plan: _Plan
    observation: _Observation | None
    episodes: list[_Episode]
    held: dict[str, _Hold]
    allowed: dict[str, _Allowance]
    unsent_messages: int


class _Answer(_Told):
    done: bool
    text: str
    status: _Status
    errors: list[str]


class _Refusal(_Told):
    """Of what the function does not know, or cannot do now: it need not say how it stands."""

    done: Literal[False]
    text: str
    status: _Status | None = None
    errors: list[str] = []


class _Entry(_Told):
    at: str


class _Trail(_Told):
    done: Literal[True]
    trail: list[_Entry]


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardAnswer:
    """What the enforcer answered.

    Attributes:
        cluster: The cluster's name.
        action: What was asked.
        done: Whether it was done, and not refused.
        text: What it says about it.
        status: How enforcement stands now; empty for `audit`, and where it says nothing of it.
        trail: The audit trail, the latest entry first; for `audit` only.
        errors: What went wrong on the way, and is tried again.
    """

    cluster: str
    action: GuardAction
    done: bool
    text: str
    status: dict[str, Any]
    trail: tuple[dict[str, Any], ...] = ()
    errors: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As plain values."""
        told = {"cluster": self.cluster, "action": self.action, "done": self.done}
        if self.action == "audit" and self.done:
            return {**told, "trail": list(self.trail)}
        return {**told, "text": self.text, "status": self.status, "errors": list(self.errors)}


def read_answer(
    cluster: str, action: GuardAction, function: str, told: Mapping[str, Any]
) -> GuardAnswer:
    """Judge an answer.

    Args:
        cluster: The cluster's name.
        action: What was asked.
        function: Who answered.
        told: The answer.

    Raises:
        AwsError: It is not one that this trnkit can read.
    """
    kind = _Refusal if told.get("done") is False else _Trail if action == "audit" else _Answer
    try:
        _adapter(kind).validate_python(told)
    except ValidationError as error:
        raise AwsError(_unreadable(cluster, action, function, error)) from None
    return GuardAnswer(
        cluster=cluster,
        action=action,
        done=told["done"],
        text=told.get("text", ""),
        status=told.get("status") or {},
        trail=tuple(told.get("trail", ())),
        errors=tuple(told.get("errors", ())),
    )


@cache
def _adapter(kind: type[_Told]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _unreadable(cluster: str, action: str, function: str, error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(cast("object", part)) for part in first["loc"]) or "all of it"
    whether = (
        "" if action in ("status", "audit") else f"; its log says whether the {action} is done"
    )
    return (
        f"function {function} answered what this trnkit cannot read ({place}: {first['msg']})"
        f"{whether}; deploy {cluster}/Guard with this version of trnkit, or ask with the version "
        "that deployed it"
    )
