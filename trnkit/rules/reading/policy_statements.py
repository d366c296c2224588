"""Resource policies: whether they let a service use a topic or a key.

Only what is certain is False: conditions, patterns and principals that may hold are taken to hold.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from trnkit.rules.reading.known_values import Reference
from trnkit.rules.reading.template_value import function_of, properties_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource

BUDGETS = "budgets.amazonaws.com"
COST_ALERTS = "costalerts.amazonaws.com"
CLOUDWATCH = "cloudwatch.amazonaws.com"
EVENTS = "events.amazonaws.com"

_OWN_ARNS = {BUDGETS: "budgets"}
"""The service in the `aws:SourceArn` of a caller, where AWS documents it."""
_SOURCES = ("aws:sourceaccount", "aws:sourcearn")
"""What EventBridge does not say to the key of a topic."""
_OF_ACCOUNTS = ("aws:principalorgid", "aws:principalorgpaths")
_MATCHING = ("stringequals", "stringequalsignorecase", "stringlike", "arnequals", "arnlike")
_ARN_PARTS = 6
_GENERATED_NAME = re.compile(r".*-[A-Za-z0-9]{8,}")
"""CloudFormation ends the names that it makes like this."""


@dataclass(frozen=True, slots=True)
class ServiceUse:
    """What a service does with a resource whose policy must allow it.

    Attributes:
        service: The service principal.
        actions: Actions such as `sns:Publish`; all are needed.
        target: The topic or key.
    """

    service: str
    actions: tuple[str, ...]
    target: Resource


def allows(document: TemplateValue, use: ServiceUse) -> bool | None:
    """Whether a policy lets a service do what it does.

    Returns:
        True when it may well do so, False when it certainly does not, None when the document, or a
        part that might allow it, is not known.
    """
    statements = document["Statement"].entries()
    if statements is None or document.mapping() is None:
        return None
    verdicts: list[bool | None] = []
    for action in use.actions:
        if any(_denies(statement, use, action) for statement in statements):
            return False
        found = [_allows(statement, use, action) for statement in statements]
        verdicts.append(True if True in found else None if None in found else False)
    return False if False in verdicts else None if None in verdicts else True


def _denies(statement: TemplateValue, use: ServiceUse, action: str) -> bool:
    """Whether a statement certainly denies an action; with a condition it may not."""
    return (
        statement["Effect"].text() == "Deny"
        and statement["Condition"].is_absent
        and statement["NotPrincipal"].is_absent
        and _admits(statement, use) is True
        and covers(statement, action) is True
        and _reaches(statement, use.target) is True
    )


def _allows(statement: TemplateValue, use: ServiceUse, action: str) -> bool | None:
    effect = statement["Effect"]
    if effect.text() not in (None, "Allow"):
        return False
    found = (
        _admits(statement, use),
        covers(statement, action),
        _reaches(statement, use.target),
        not any(_fails(statement, use)),
        None if effect.text() is None else True,
    )
    return False if False in found else None if None in found else True


def _admits(statement: TemplateValue, use: ServiceUse) -> bool | None:
    principal, service = statement["Principal"], use.service
    if not statement["NotPrincipal"].is_absent:
        return True
    everybody = _is_everybody(principal)
    if everybody or principal.is_unknown:
        return everybody
    services = principal["Service"].entries()
    if services is not None and any(entry.text() in (service, "*") for entry in services):
        return True
    doubtful = services is None or any(entry.is_unknown for entry in services)
    if service == CLOUDWATCH and use.actions == ("sns:Publish",):
        # Alarms publish in their account's name as well.
        doubtful = doubtful or not principal["AWS"].is_absent
    return None if doubtful or everybody is None else False


def _is_everybody(principal: TemplateValue) -> bool | None:
    if principal.text() == "*":
        return True
    accounts = _each(principal["AWS"])
    if principal.is_unknown:
        return None
    if any(entry.text() == "*" for entry in accounts):
        return True
    return None if any(_may_be_everybody(entry) for entry in accounts) else False


def _may_be_everybody(account: TemplateValue) -> bool:
    """Whether a principal that is not known may be `*`: an ARN or account id is not."""
    is_pseudo = function_of(account.raw) == ("Ref", ["AWS::AccountId"])
    return account.is_unknown and not (account.head() or is_pseudo)


def covers(statement: TemplateValue, action: str) -> bool | None:
    """Whether a statement is about an action; None when that is not known."""
    if not statement["NotAction"].is_absent:
        return None
    entries = statement["Action"].entries()
    if entries is None:
        return None
    patterns = [(entry.text() or "").lower() for entry in entries]
    if any(_matches(action.lower(), pattern) for pattern in patterns):
        return True
    return None if any(entry.is_unknown for entry in entries) else False


def _reaches(statement: TemplateValue, target: Resource) -> bool | None:
    if not statement["NotResource"].is_absent:
        return None
    resources = statement["Resource"]
    if resources.is_absent:
        return True
    found = [_is_target(entry, target) for entry in _each(resources)]
    return True if True in found else None if None in found else False


def _is_target(value: TemplateValue, target: Resource) -> bool | None:
    if isinstance(value.value, Reference):
        other = value.value.resource
        return True if other is target else False if other.type == target.type else None
    text = value.text()
    if text == "*":
        return True
    parts = (text or "").split(":", _ARN_PARTS - 1)
    kind = "sns" if target.type == "AWS::SNS::Topic" else "kms"
    if text is not None and len(parts) == _ARN_PARTS and not _matches(kind, parts[2]):
        return False
    _, colon, name = (value.tail() or "").rpartition(":")
    return _is_name_of(name, target) if colon and name and kind == "sns" else None


def _is_name_of(pattern: str, topic: Resource) -> bool | None:
    name = properties_of(topic)["TopicName"]
    if name.text() is not None:
        return _matches(name.text() or "", pattern)
    could_be = any(sign in pattern for sign in "*?") or _GENERATED_NAME.fullmatch(pattern)
    return None if could_be or not name.is_absent else False


def _fails(statement: TemplateValue, use: ServiceUse) -> Iterator[bool]:
    """For each condition, whether it certainly does not hold for the service."""
    operators = statement["Condition"]
    for operator in operators.mapping() or {}:
        # `IfExists`, `ForAllValues` and negations hold where a key is missing.
        if str(operator).removeprefix("ForAnyValue:").lower() in _MATCHING:
            keys = operators[operator]
            for key in keys.mapping() or {}:
                yield _key_fails(statement, str(key).lower(), keys[key], use)


def _key_fails(statement: TemplateValue, key: str, value: TemplateValue, use: ServiceUse) -> bool:
    if key == "aws:sourceowner":
        # Only accounts have it; SNS's own default policy means the account's by it, and with them
        # its alarms.
        return use.service != CLOUDWATCH and _is_everybody(statement["Principal"]) is True
    if key in _OF_ACCOUNTS:
        return True
    if use.service == EVENTS and key in _SOURCES and use.target.type == "AWS::KMS::Key":
        return True
    entries = _each(value)
    if key == "aws:principalservicename":
        wanted, given = use.service, [entry.text() for entry in entries]
    elif key == "kms:viaservice":
        wanted, given = "sns", [_segment(entry, ".", 0) for entry in entries]
    elif key == "aws:sourcearn" and use.service in _OWN_ARNS:
        # Of a service without Regions, no caller has one in its ARN.
        if entries and all(_matches("", _segment(e, ":", 3) or "") is False for e in entries):
            return True
        wanted, given = _OWN_ARNS[use.service], [_segment(entry, ":", 2) for entry in entries]
    else:
        return False
    known = [text for text in given if text is not None]
    return bool(known) and len(known) == len(given) and not any(_matches(wanted, t) for t in known)


def _segment(value: TemplateValue, separator: str, number: int) -> str | None:
    """A part of a text whose beginning alone may be known; all of it when it has fewer parts."""
    text, head = value.text(), value.head()
    if text is not None:
        parts = text.split(separator)
        return parts[number] if number < len(parts) else "*" if "*" in text else text
    parts = (head or "").split(separator)
    return parts[number] if number < len(parts) - 1 else None


def _each(values: TemplateValue) -> tuple[TemplateValue, ...]:
    """The entries of a list; itself when it is not known, since its text may be so in part."""
    return (values,) if values.is_unknown else values.entries() or ()


def _matches(text: str, pattern: str) -> bool:
    return fnmatchcase(text, pattern.replace("[", "[[]"))
