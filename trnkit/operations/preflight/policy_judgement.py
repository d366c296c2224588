"""Whether the policy of an endpoint lets a request through; asks nobody, and never guesses.

A policy opens what some statement allows and none denies. Conditions, and principals other than
everybody, hang on the request: what rests on them is not known.

Sources:
    https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-access.html
    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Verdict(IntEnum):
    """What a policy does with a request."""

    DENIED = 0
    UNKNOWN = 1
    ALLOWED = 2


class _Match(IntEnum):
    """Whether a statement is about a request."""

    NO = 0
    MAYBE = 1
    YES = 2


@dataclass(frozen=True, slots=True)
class PolicyAnswer:
    """What a policy says of a request.

    Attributes:
        verdict: What it does.
        because: The statement that decides, in words.
    """

    verdict: Verdict
    because: str


def judge_policy(policy: str, action: str, resource: str) -> PolicyAnswer:
    """What a policy does with a request.

    Args:
        policy: The policy, as JSON.
        action: For example `s3:GetObject`.
        resource: Its ARN; `*` in it stands for a part that is not known.
    """
    statements = _statements(policy)
    if statements is None:
        return PolicyAnswer(Verdict.UNKNOWN, "it cannot be read")
    allowed, may_allow, may_deny = _Match.NO, "", ""
    for number, statement in enumerate(statements, 1):
        how = _matches(statement, action, resource)
        name = str(statement.get("Sid") or f"number {number}")
        if statement.get("Effect") == "Deny":
            if how is _Match.YES:
                return PolicyAnswer(Verdict.DENIED, f"statement {name} denies it")
            if how is _Match.MAYBE:
                may_deny = may_deny or f"statement {name} may deny it"
        else:
            if how is _Match.MAYBE:
                may_allow = may_allow or f"statement {name} may allow it"
            allowed = max(allowed, how)
    if allowed is _Match.NO:
        return PolicyAnswer(Verdict.DENIED, "no statement allows it")
    if allowed is _Match.MAYBE or may_deny:
        return PolicyAnswer(Verdict.UNKNOWN, may_deny or may_allow)
    return PolicyAnswer(Verdict.ALLOWED, "")


def _statements(policy: str) -> list[dict[str, Any]] | None:
    try:
        document: Any = json.loads(policy)
    except ValueError:
        return None
    told = cast("dict[str, Any]", document) if _is_map(document) else {}
    listed = _listed(told.get("Statement"))
    readable = "Statement" in told and all(map(_is_map, listed))
    return cast("list[dict[str, Any]]", listed) if readable else None


def _matches(statement: dict[str, Any], action: str, resource: str) -> _Match:
    return min(
        _part(statement, "Action", lambda pattern: _covers(pattern.lower(), action.lower())),
        _part(statement, "Resource", lambda pattern: _of_resource(pattern, resource)),
        _principal(statement),
        _Match.MAYBE if statement.get("Condition") else _Match.YES,
    )


def _part(statement: dict[str, Any], key: str, judge: Callable[[str], _Match]) -> _Match:
    """How `key`, or `Not` before it, fits; one of the patterns is enough."""
    if key in statement:
        return max((judge(str(each)) for each in _listed(statement[key])), default=_Match.NO)
    if f"Not{key}" in statement:
        best = max(
            (judge(str(each)) for each in _listed(statement[f"Not{key}"])), default=_Match.NO
        )
        return _Match(_Match.YES - best)
    # Policies of endpoints name resources; one that does not is not read here.
    return _Match.MAYBE


def _of_resource(pattern: str, resource: str) -> _Match:
    """Variables of a policy, `${...}`, stand for anything."""
    if "${" in pattern:
        before = pattern.partition("${")[0]
        return _Match.MAYBE if _fits(f"{before}*", resource, certainly=False) else _Match.NO
    return _covers(pattern, resource)


def _principal(statement: dict[str, Any]) -> _Match:
    """Everybody is certain; of others it is not known whether nodes are among them."""
    told = statement.get("Principal")
    everybody = told == "*" or (
        _is_map(told) and "*" in _listed(cast("dict[str, Any]", told).get("AWS"))
    )
    return _Match.YES if everybody else _Match.MAYBE


def _covers(pattern: str, text: str) -> _Match:
    """Whether a pattern fits whatever a text with unknown parts stands for, or some of it."""
    if _fits(pattern, text, certainly=True):
        return _Match.YES
    return _Match.MAYBE if _fits(pattern, text, certainly=False) else _Match.NO


def _fits(pattern: str, text: str, *, certainly: bool) -> bool:
    """Whether a pattern fits a text, from both ends backwards.

    An unknown part of the text is certainly taken by a `*` alone, and by anything when it need not
    be certain.
    """
    below = [False] * (len(text) + 2)
    for wanted in (*pattern, None)[::-1]:
        row = [False] * (len(text) + 2)
        for there in range(len(text), -1, -1):
            told = text[there] if there < len(text) else None
            if wanted is None and told is None:
                row[there] = True
            elif wanted == "*":
                row[there] = below[there] or row[there + 1]
            elif told == "*" and not certainly:
                row[there] = row[there + 1] or (wanted is not None and below[there])
            elif wanted is not None and told is not None and told != "*":
                row[there] = wanted in ("?", told) and below[there + 1]
        below = row
    return below[0]


def _listed(value: object) -> list[Any]:
    if value is None:
        return []
    return list(cast("Iterable[Any]", value)) if isinstance(value, list) else [value]


def _is_map(value: object) -> bool:
    return isinstance(value, dict)
