"""What a policy does with one request: lets it through, denies it, or nobody can tell.

One judge for the policies of endpoints, keys, buckets and topics; it asks nobody, and never
guesses. A policy lets through what some statement allows and none denies. What rests on something
that is not known of the request is not known.

Sources:
    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
    https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-access.html
    https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, TypeGuard, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class Verdict(IntEnum):
    """What a policy does with a request."""

    DENIED = 0
    UNKNOWN = 1
    ALLOWED = 2


class _Match(IntEnum):
    """Whether a statement, or a part of one, is about a request; the values are a verdict's."""

    NO = 0
    MAYBE = 1
    YES = 2


@dataclass(frozen=True, slots=True)
class PolicyAnswer:
    """What a policy says of a request.

    Attributes:
        verdict: What it does.
        because: The statement that decides, in words; its name may hold what AWS alone told.
    """

    verdict: Verdict
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Requester:
    """A role that would ask.

    Attributes:
        account: The account that it is of.
        role: ARN of a role, `*` for what is not known of it; None for roles that may have any name.
        has_own_policy: Whether IAM policies of its own allow it what the account may.
    """

    account: str
    role: str | None
    has_own_policy: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceRequester:
    """A service of AWS that would ask in its own name.

    Attributes:
        principal: For example `budgets.amazonaws.com`.
    """

    principal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRequest:
    """One request.

    Attributes:
        requester: Who asks; None when nobody knows whom a policy would name, so that only a
            statement for everybody is certainly for them.
        action: For example `kms:CreateGrant`.
        resource: ARN; `*` in it stands for a part that is not known.
        context: Condition keys in lower case -> their values in this request, `*` for a part that
            is not known (a number that ends with it is at least so large), and None for a key that
            the request certainly does not have. A key that is not here has a value that nobody
            knows.
    """

    requester: Requester | ServiceRequester | None
    action: str
    resource: str
    context: Mapping[str, str | None] = field(default_factory=dict[str, str | None])


def judge_policy(
    document: str, request: PolicyRequest, *, otherwise: Verdict = Verdict.DENIED
) -> PolicyAnswer:
    """What a policy does with a request.

    Args:
        document: The policy, as JSON.
        request: What is asked.
        otherwise: What becomes of the request beside the policy, as by a grant; no denial is
            lifted by that. With `ALLOWED` the answer tells what the policy denies, and no more.
    """
    statements = _statements(document)
    if statements is None:
        return PolicyAnswer(Verdict.UNKNOWN, "it cannot be read")
    allowed, may_allow, may_deny = _Match(otherwise), "", ""
    for number, statement in enumerate(statements, 1):
        how = _applies(statement, request)
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
        return PolicyAnswer(Verdict.UNKNOWN, may_deny or may_allow or "no statement allows it")
    return PolicyAnswer(Verdict.ALLOWED, "")


def _statements(document: str) -> list[dict[str, Any]] | None:
    """The statements; None when the policy cannot be read."""
    try:
        read: Any = json.loads(document)
    except ValueError:
        return None
    if not _is_map(read):
        return None
    found = _listed(read.get("Statement"))
    return found if all(map(_is_map, found)) else None


def _applies(statement: dict[str, Any], request: PolicyRequest) -> _Match:
    """Whether a statement is about a request."""
    has_effect = statement.get("Effect") in ("Allow", "Deny")
    return min(
        _Match.YES if has_effect else _Match.NO,
        _part(statement, "Action", lambda each: _covers(each.lower(), request.action.lower())),
        _part(statement, "Resource", lambda each: _covers_variable(each, request.resource)),
        _principal(statement, request),
        _condition(statement.get("Condition") or {}, request.context),
    )


def _part(statement: dict[str, Any], key: str, judge: Callable[[str], _Match]) -> _Match:
    """How `key`, or `Not` before it, fits; one of the patterns is enough."""
    for name in (key, f"Not{key}"):
        if name in statement:
            best = max((judge(str(each)) for each in _listed(statement[name])), default=_Match.NO)
            return best if name == key else _Match(_Match.YES - best)
    # KMS takes such a statement, which has no effect; of other services it is not known.
    return _Match.MAYBE


def _principal(statement: dict[str, Any], request: PolicyRequest) -> _Match:
    """Whether a statement is for who asks."""
    told: Any = statement.get("Principal")
    if told == "*":
        return _Match.YES
    if not _is_map(told):
        return _Match.MAYBE
    accounts, requester = [str(each) for each in _listed(told.get("AWS"))], request.requester
    if "*" in accounts:
        return _Match.YES
    if requester is None:
        return _Match.MAYBE
    if isinstance(requester, ServiceRequester):
        services = _listed(told.get("Service"))
        return _Match.YES if {"*", requester.principal}.intersection(services) else _Match.NO
    is_denied = statement.get("Effect") == "Deny"
    each = (_names(account, requester, is_denied=is_denied) for account in accounts)
    return max(each, default=_Match.NO)


def _names(principal: str, requester: Requester, *, is_denied: bool) -> _Match:
    """Whether a principal that is not everybody is a role, or stands for it."""
    account = requester.account
    if principal == account or principal.endswith(f":iam::{account}:root"):
        # The account lets its IAM policies decide; a denial of it is one of everybody in it.
        return _Match.YES if is_denied or requester.has_own_policy else _Match.NO
    if f"::{account}:" not in principal:
        return _Match.NO
    if requester.role is None:
        return _Match.MAYBE
    return _covers(principal, requester.role, wildcards=False)


def _condition(conditions: Any, context: Mapping[str, str | None]) -> _Match:
    """Whether all conditions hold."""
    return min(_conditions(conditions, context), default=_Match.YES)


def _conditions(conditions: Any, context: Mapping[str, str | None]) -> Iterator[_Match]:
    if not _is_map(conditions):
        yield _Match.MAYBE
        return
    for operator, keys in conditions.items():
        if not _is_map(keys):
            yield _Match.MAYBE
            continue
        for key, wanted in keys.items():
            name = str(key).lower()
            yield _compare(operator, context[name], wanted) if name in context else _Match.MAYBE


def _compare(operator: str, value: str | None, wanted: Any) -> _Match:
    """Whether a key of this value fulfils a condition; None is a key that is not there."""
    lower = operator.lower()
    name = lower.removeprefix("foranyvalue:").removesuffix("ifexists")
    negated = name in _NEGATED
    compare = _OPERATORS.get(_NEGATED.get(name, name))
    if compare is None:
        return _Match.MAYBE
    if value is None:
        if lower.endswith("ifexists"):
            return _Match.YES
        return _Match.YES if negated and name == lower else _Match.NO
    texts = (str(each).lower() if isinstance(each, bool) else str(each) for each in _listed(wanted))
    best = max((compare(text, value) for text in texts), default=_Match.NO)
    return _Match(_Match.YES - best) if negated else best


def _covers_variable(pattern: str, text: str, *, wildcards: bool = True) -> _Match:
    """As `_covers`; variables of a policy, `${...}`, stand for anything."""
    before, variable, _ = pattern.partition("${")
    if not variable:
        return _covers(pattern, text, wildcards=wildcards)
    return min(_Match.MAYBE, _covers(f"{before}*", text))


def _covers(pattern: str, text: str, *, wildcards: bool = True) -> _Match:
    """Whether a pattern fits whatever a text with unknown parts stands for, or some of it."""
    if _fits(pattern, text, certainly=True, wildcards=wildcards):
        return _Match.YES
    may = _fits(pattern, text, certainly=False, wildcards=wildcards)
    return _Match.MAYBE if may else _Match.NO


def _fits(pattern: str, text: str, *, certainly: bool, wildcards: bool) -> bool:
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
            elif wanted == "*" and wildcards:
                row[there] = below[there] or row[there + 1]
            elif told == "*" and not certainly:
                row[there] = row[there + 1] or (wanted is not None and below[there])
            elif wanted is not None and told is not None and told != "*":
                is_any = wanted == "?" and wildcards
                row[there] = (is_any or wanted == told) and below[there + 1]
        below = row
    return below[0]


def _same(wanted: str, value: str) -> _Match:
    return _covers_variable(wanted, value, wildcards=False)


def _same_in_any_case(wanted: str, value: str) -> _Match:
    return _same(wanted.lower(), value.lower())


def _like_arn(wanted: str, value: str) -> _Match:
    """The six parts of ARNs are compared one by one."""
    parts = [text.split(":", _COLONS) for text in (wanted, value)]
    if "${" in wanted or any(len(each) <= _COLONS for each in parts):
        return _covers_variable(wanted, value)
    return min(map(_covers, *parts))


def _is_less(wanted: str, value: str) -> _Match:
    try:
        is_less = float(value.removesuffix("*")) < float(wanted)
    except ValueError:
        return _Match.NO
    if not is_less:
        return _Match.NO
    return _Match.MAYBE if value.endswith("*") else _Match.YES


_COLONS = 5
"""In an ARN, before what names the resource."""
_OPERATORS: dict[str, Callable[[str, str], _Match]] = {
    "stringequals": _same,
    "stringequalsignorecase": _same_in_any_case,
    "stringlike": _covers_variable,
    "arnequals": _like_arn,
    "arnlike": _like_arn,
    "bool": _same_in_any_case,
    "numericlessthan": _is_less,
}
_NEGATED = {
    "stringnotequals": "stringequals",
    "stringnotequalsignorecase": "stringequalsignorecase",
    "stringnotlike": "stringlike",
    "arnnotequals": "arnequals",
    "arnnotlike": "arnlike",
}


def _listed(value: Any) -> list[Any]:
    """Policies have one entry where a list would be, too."""
    return [] if value is None else cast("list[Any]", value) if isinstance(value, list) else [value]


def _is_map(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)
