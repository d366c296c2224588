"""The grammar of policies, as the services that keep them check it.

Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

_VERSIONS = frozenset({"2008-10-17", "2012-10-17"})
_PRINCIPALS = frozenset({"AWS", "CanonicalUser", "Federated", "Service"})

Document = Mapping[str, Any]


def parsed(document: Any) -> Any:
    """A policy that may be text."""
    if not isinstance(document, str):
        return document
    try:
        return json.loads(document)
    except ValueError:
        return None


def size(document: Any) -> int:
    """Characters of a policy by which quotas count: those that are no white space.

    Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
    """
    text = document if isinstance(document, str) else json.dumps(document)
    return sum(not character.isspace() for character in text)


def problem_of_any(document: Any) -> str | None:
    """What is wrong with any policy, in IAM's words; None: nothing."""
    policy = parsed(document)
    if not isinstance(policy, Mapping):
        return "This policy contains invalid Json"
    if policy.get("Version", "2012-10-17") not in _VERSIONS:
        return "The policy must contain a valid version string"
    for statement in statements(policy):
        if statement.get("Effect") not in ("Allow", "Deny"):
            return "Missing required field Effect"
        if ("Action" in statement) == ("NotAction" in statement):
            return "Policy statement must contain actions."
    return None


def problem_of_identity(document: Any) -> str | None:
    """What is wrong with a policy of a role or a user, in IAM's words; None: nothing."""
    general = problem_of_any(document)
    if general:
        return general
    for statement in statements(parsed(document)):
        if "Principal" in statement or "NotPrincipal" in statement:
            return "Policy document should not specify a principal."
        if ("Resource" in statement) == ("NotResource" in statement):
            return "Policy statement must contain resources."
    return None


def problem_of_resource(document: Any) -> str | None:
    """What is wrong with a policy of a resource, in IAM's words; None: nothing."""
    general = problem_of_any(document)
    if general:
        return general
    for statement in statements(parsed(document)):
        named = [key for key in ("Principal", "NotPrincipal") if key in statement]
        if len(named) != 1:
            return "Missing required field Principal"
        if not _is_principal(statement[named[0]]):
            return "Invalid principal in policy"
    return None


def problem_of_trust(document: Any) -> str | None:
    """What is wrong with a trust policy, in IAM's words; None: nothing."""
    general = problem_of_resource(document)
    if general:
        return general
    for statement in statements(parsed(document)):
        if "Resource" in statement or "NotResource" in statement:
            return "Has prohibited field Resource"
    return None


def statements(policy: Document) -> Iterator[Document]:
    """The statements of a policy, which may be a single one."""
    found = policy.get("Statement") or []
    yield from [found] if isinstance(found, Mapping) else found


def listed(value: Any) -> list[Any]:
    """A value that may be a list."""
    return value if isinstance(value, list) else [value]


def _is_principal(principal: Any) -> bool:
    if isinstance(principal, Mapping):
        return bool(principal) and set(principal) <= _PRINCIPALS
    return principal == "*"
