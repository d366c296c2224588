"""Resource policies: whether they let a service do something."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.rules.template_value import TemplateValue

BUDGETS = "budgets.amazonaws.com"
COST_ALERTS = "costalerts.amazonaws.com"


def allows(document: TemplateValue, service: str, actions: Iterable[str]) -> bool | None:
    """Whether a policy lets a service take every action. Conditions are not judged.

    Args:
        document: The policy document.
        service: The service principal.
        actions: Actions such as `sns:Publish`.

    Returns:
        None when the document, or a part that might allow it, is not known.
    """
    statements = document["Statement"].entries()
    if statements is None or document.mapping() is None:
        return None
    verdicts = [[_allows(s, service, action) for s in statements] for action in actions]
    if all(True in verdict for verdict in verdicts):
        return True
    doubtful = any(None in verdict and True not in verdict for verdict in verdicts)
    return None if doubtful else False


def _allows(statement: TemplateValue, service: str, action: str) -> bool | None:
    if statement.is_unknown:
        return None
    if statement["Effect"].text() == "Deny":
        return False
    found = (_admits(statement, service), _covers(statement, action))
    if False in found:
        return False
    return None if None in found else True


def _admits(statement: TemplateValue, service: str) -> bool | None:
    principal = statement["Principal"]
    if principal.text() == "*" or not statement["NotPrincipal"].is_absent:
        return True
    if principal.is_unknown:
        return None
    # Whatever an unknown account principal is, it is no service.
    if any(entry.text() == "*" for entry in principal["AWS"].entries() or ()):
        return True
    services = principal["Service"].entries()
    if services is not None and any(entry.text() in (service, "*") for entry in services):
        return True
    return None if services is None or any(entry.is_unknown for entry in services) else False


def _covers(statement: TemplateValue, action: str) -> bool | None:
    if not statement["NotAction"].is_absent:
        return None
    entries = statement["Action"].entries()
    if entries is None or any(entry.is_unknown for entry in entries):
        return None
    patterns = [(entry.text() or "").lower() for entry in entries]
    return any(fnmatchcase(action.lower(), pattern) for pattern in patterns)
