"""What a policy of a key or a bucket says of one request: yes, no, or nobody can tell.

Sources:
    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
    https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Requester:
    """Who would ask.

    Attributes:
        account: The account that it is of.
        role: ARN of a role, `*` for what is not known of it; None for roles that may have any name.
        has_own_policy: Whether IAM policies of its own allow it what the account may.
    """

    account: str
    role: str | None
    has_own_policy: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRequest:
    """One request.

    Attributes:
        requester: Who asks.
        action: For example `kms:CreateGrant`.
        resource: ARN, compared with what a statement is about; a key's own policy says `*`.
        context: Condition keys in lower case -> their values in this request. A key that is not
            here has a value that nobody knows.
    """

    requester: Requester
    action: str
    resource: str
    context: Mapping[str, str] = field(default_factory=dict[str, str])


def allows(document: str, request: PolicyRequest, *, otherwise: bool | None = False) -> bool | None:
    """Whether a policy lets a request through.

    Args:
        document: The policy, as JSON.
        request: What is asked.
        otherwise: Whether something beside the policy allows it, as a grant does; no denial is
            lifted by that.

    Returns:
        None when that turns on what is not known.
    """
    statements = _statements(document)
    denied = denies(document, request)
    if statements is None or denied:
        return None if statements is None else False
    found = [otherwise, *(_applies(s, request, "Allow") for s in statements)]
    if True in found:
        return True if denied is False else None
    return None if None in found else False


def denies(document: str, request: PolicyRequest) -> bool | None:
    """Whether a policy denies a request, whatever else allows it.

    Args:
        document: The policy, as JSON.
        request: What is asked.

    Returns:
        None when that turns on what is not known.
    """
    statements = _statements(document)
    if statements is None:
        return None
    found = [_applies(s, request, "Deny") for s in statements]
    return True if True in found else None if None in found else False


def _statements(document: str) -> list[dict[str, Any]] | None:
    try:
        read = json.loads(document)
    except ValueError:
        return None
    if not isinstance(read, dict):
        return None
    told: Any = read.get("Statement")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    found = _several(told)
    return found if all(isinstance(each, dict) for each in found) else None


def _applies(statement: dict[str, Any], request: PolicyRequest, effect: str) -> bool | None:
    if statement.get("Effect") != effect:
        return False
    parts = (
        _is_about_action(statement, request.action),
        _is_about_resource(statement, request.resource),
        _names(statement, request.requester, effect),
        _holds(statement.get("Condition") or {}, request.context),
    )
    return False if False in parts else None if None in parts else True


def _is_about_action(statement: dict[str, Any], action: str) -> bool:
    key = "Action" if "Action" in statement else "NotAction"
    patterns = [str(each).lower() for each in _several(statement.get(key))]
    found = any(_like(action.lower(), pattern) for pattern in patterns)
    return found == (key == "Action")


def _is_about_resource(statement: dict[str, Any], resource: str) -> bool:
    if "NotResource" in statement:
        patterns = _several(statement["NotResource"])
        return not any(_like(resource, str(pattern)) for pattern in patterns)
    patterns = _several(statement.get("Resource", "*"))
    # Of the objects of a bucket no one is meant: `bucket/*` is about them all, `bucket/a/*` not.
    return any(_like(resource, str(pattern)) for pattern in patterns)


def _names(statement: dict[str, Any], requester: Requester, effect: str) -> bool | None:
    if "NotPrincipal" in statement:
        return None
    principal: Any = statement.get("Principal")
    if principal == "*":
        return True
    if not isinstance(principal, dict):
        return None
    named: Any = principal.get("AWS", ())  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    found = [_is_named(str(each), requester, effect) for each in _several(named)]
    return True if True in found else None if None in found else False


def _is_named(principal: str, requester: Requester, effect: str) -> bool | None:
    if principal == "*":
        return True
    account = requester.account
    if principal == account or principal.endswith(f":iam::{account}:root"):
        # The account lets its IAM policies decide; a denial of it is one of everybody in it.
        return True if effect == "Deny" else requester.has_own_policy
    if f"::{account}:" not in principal:
        return False
    if requester.role is None:
        return None
    if "*" not in requester.role:
        return principal == requester.role
    return None if _like(principal, requester.role) else False


def _holds(conditions: Any, context: Mapping[str, str]) -> bool | None:
    found = list(_each_condition(conditions, context))
    return False if False in found else None if None in found else True


def _each_condition(conditions: Any, context: Mapping[str, str]) -> Iterator[bool | None]:
    if not isinstance(conditions, dict):
        yield None
        return
    operator: Any
    keys: Any
    for operator, keys in conditions.items():  # pyright: ignore[reportUnknownVariableType]
        if not isinstance(keys, dict):
            yield None
            continue
        key: Any
        wanted: Any
        for key, wanted in keys.items():  # pyright: ignore[reportUnknownVariableType]
            value = context.get(str(key).lower())
            yield None if value is None else _compare(str(operator), value, wanted)


def _compare(operator: str, value: str, wanted: Any) -> bool | None:
    name = operator.lower().removeprefix("foranyvalue:").removesuffix("ifexists")
    texts = [
        str(each).lower() if isinstance(each, bool) else str(each) for each in _several(wanted)
    ]
    negated = name in _NEGATED
    compare = _OPERATORS.get(_NEGATED.get(name, name))
    if compare is None or any("${" in text for text in texts):
        return None
    return any(compare(value, text) for text in texts) != negated


def _like(text: str, pattern: str) -> bool:
    return fnmatchcase(text, pattern.replace("[", "[[]"))


def _same(value: str, wanted: str) -> bool:
    return value == wanted


def _same_in_any_case(value: str, wanted: str) -> bool:
    return value.lower() == wanted.lower()


def _is_less(value: str, wanted: str) -> bool:
    try:
        return float(value) < float(wanted)
    except ValueError:
        return False


_OPERATORS: dict[str, Callable[[str, str], bool]] = {
    "stringequals": _same,
    "stringequalsignorecase": _same_in_any_case,
    "stringlike": _like,
    "arnequals": _like,
    "arnlike": _like,
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


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]  # pyright: ignore[reportUnknownVariableType]
