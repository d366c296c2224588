"""Whether what a service tells is what a template says.

Text stands for numbers and booleans, and JSON text for objects, as CloudFormation takes them. The
order of a list counts only where it means something. Members that only the service tells are its
defaults; in a policy nothing may be added.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

ORDERED = frozenset({"Args", "Command", "EntryPoint", "Overrides", "TerminationPolicies"})
"""Lists whose order means something; all others are sets to AWS."""

_LISTS_OF_STATEMENTS = ("Action", "NotAction", "Resource", "NotResource")
_ROOT = re.compile(r"arn:aws[a-z-]*:iam::(?P<account>\d{12}):root")


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One place where the service tells something else than the template.

    Attributes:
        path: The property, such as ``Rules[0].Status``.
        expected: What the template says, None where it says nothing.
        found: What the service tells, None where it tells nothing.
    """

    path: str
    expected: Any
    found: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The properties of one resource beside what its service tells.

    Attributes:
        equal: Names of the properties that the service tells just so.
        not_told: Names of those that it does not tell.
        differences: Where it tells something else.
    """

    equal: tuple[str, ...]
    not_told: tuple[str, ...]
    differences: tuple[Difference, ...]

    @property
    def agrees(self) -> bool:
        """Whether nothing that the service tells differs."""
        return not self.differences


def compare(expected: Mapping[str, Any], found: Mapping[str, Any]) -> Comparison:
    """Compare all properties of a resource.

    Args:
        expected: The template's properties, resolved.
        found: What the service tells, in the template's shape.
    """
    equal: list[str] = []
    not_told: list[str] = []
    differences: list[Difference] = []
    for name, value in expected.items():
        if name not in found:
            not_told.append(name)
            continue
        here = differences_between(value, found[name], path=name)
        differences += here
        if not here:
            equal.append(name)
    return Comparison(equal=tuple(equal), not_told=tuple(not_told), differences=tuple(differences))


def differences_between(
    expected: Any, found: Any, *, path: str = "", exact: bool = False
) -> list[Difference]:
    """All places where two values differ.

    Args:
        expected: The template's value.
        found: The service's value.
        path: Where they stand.
        exact: Whether the service may tell no member of an object that the template has not.
    """
    expected, found = _opened(expected, found)
    if _is_policy(expected) and _is_policy(found):
        return _object_differences(canonical_policy(expected), canonical_policy(found), path, True)
    if _is_tags(expected) or _is_tags(found):
        expected, found = _own_tags(expected), _own_tags(found)
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        return _object_differences(expected, found, path, exact)
    if isinstance(expected, list) and isinstance(found, list):
        if _last_name(path) in ORDERED:
            return _in_order(expected, found, path, exact)
        return _as_sets(expected, found, path, exact)
    if _same_scalar(expected, found) or (_is_empty(expected) and found is None):
        return []
    return [Difference(path=path, expected=expected, found=found)]


def canonical_policy(policy: Mapping[str, Any]) -> dict[str, Any]:
    """A policy document in the one form of all that mean the same to AWS.

    Single values are lists of one, and an account's root user stands for the account.
    Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
    """
    statements = [_canonical_statement(item) for item in _as_list(policy["Statement"])]
    return {**policy, "Statement": statements}


def _canonical_statement(statement: Any) -> Any:
    if not isinstance(statement, Mapping):
        return statement
    canonical = dict(statement)
    for name in _LISTS_OF_STATEMENTS:
        if name in canonical:
            canonical[name] = _texts(canonical[name])
    for name in ("Principal", "NotPrincipal"):
        principal = canonical.get(name)
        if isinstance(principal, Mapping):
            canonical[name] = {
                kind: [_principal(who) for who in _texts(whom)] for kind, whom in principal.items()
            }
    conditions = canonical.get("Condition")
    if isinstance(conditions, Mapping):
        canonical["Condition"] = {
            operator: (
                {key: _texts(values) for key, values in keys.items()}
                if isinstance(keys, Mapping)
                else keys
            )
            for operator, keys in conditions.items()
        }
    return canonical


def _principal(who: str) -> str:
    root = _ROOT.fullmatch(who)
    return root["account"] if root else who


def _texts(values: Any) -> list[str]:
    return sorted({_text(value) for value in _as_list(values)})


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


def _is_policy(value: Any) -> bool:
    return isinstance(value, Mapping) and "Statement" in value


def _opened(expected: Any, found: Any) -> tuple[Any, Any]:
    """Both values, with JSON text read where one side or both are such text."""
    if isinstance(expected, str) and isinstance(found, (Mapping, list)):
        return _json(expected), found
    if isinstance(found, str) and isinstance(expected, (Mapping, list)):
        return expected, _json(found)
    if isinstance(expected, str) and isinstance(found, str) and expected != found:
        opened = _json(expected), _json(found)
        if all(isinstance(value, (Mapping, list)) for value in opened):
            return opened
    return expected, found


def _json(text: str) -> Any:
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _object_differences(
    expected: Mapping[str, Any], found: Mapping[str, Any], path: str, exact: bool
) -> list[Difference]:
    differences: list[Difference] = []
    for name, value in expected.items():
        where = f"{path}.{name}" if path else name
        differences += differences_between(value, found.get(name), path=where, exact=exact)
    if exact:
        differences += [
            Difference(path=f"{path}.{name}", expected=None, found=value)
            for name, value in found.items()
            if name not in expected and not _is_empty(value)
        ]
    return differences


def _in_order(
    expected: Sequence[Any], found: Sequence[Any], path: str, exact: bool
) -> list[Difference]:
    differences: list[Difference] = []
    for index in range(max(len(expected), len(found))):
        where = f"{path}[{index}]"
        if index >= len(expected):
            differences.append(Difference(path=where, expected=None, found=found[index]))
        elif index >= len(found):
            differences.append(Difference(path=where, expected=expected[index], found=None))
        else:
            differences += differences_between(
                expected[index], found[index], path=where, exact=exact
            )
    return differences


def _as_sets(
    expected: Sequence[Any], found: Sequence[Any], path: str, exact: bool
) -> list[Difference]:
    """Pair equal items, then those that are most alike; what is over has no pair."""
    pairs = _equal_pairs(expected, found, exact)
    left = {n: item for n, item in enumerate(found) if n not in pairs}
    unpaired = {n: item for n, item in enumerate(expected) if n not in set(pairs.values())}
    differences: list[Difference] = []
    for index, item in unpaired.items():
        where = f"{path}[{index}]"
        told = [
            (differences_between(item, other, path=where, exact=exact), n)
            for n, other in left.items()
        ]
        if not told:
            differences.append(Difference(path=where, expected=item, found=None))
            continue
        fewest, partner = min(told, key=lambda pair: len(pair[0]))
        differences += fewest
        del left[partner]
    return differences + [
        Difference(path=f"{path}[+{number}]", expected=None, found=left[position])
        for number, position in enumerate(left)
    ]


def _equal_pairs(expected: Sequence[Any], found: Sequence[Any], exact: bool) -> dict[int, int]:
    """As many pairs of equal items as there can be: places in ``expected`` by those in ``found``.

    An item may equal several, as the service tells more than the template: a maximum matching.
    """
    equal = [
        [n for n, other in enumerate(found) if not differences_between(item, other, exact=exact)]
        for item in expected
    ]
    pairs: dict[int, int] = {}

    def paired(place: int, tried: set[int]) -> bool:
        for other in equal[place]:
            if other not in tried:
                tried.add(other)
                if other not in pairs or paired(pairs[other], tried):
                    pairs[other] = place
                    return True
        return False

    for place in range(len(expected)):
        paired(place, set())
    return pairs


def _is_tags(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(tag, Mapping) and {"Key", "Value"} <= set(tag) for tag in value)
    )


def _own_tags(value: Any) -> Any:
    """Tags but those that AWS itself sets."""
    if not isinstance(value, list):
        return value
    return [
        tag
        for tag in value
        if not (isinstance(tag, Mapping) and str(tag.get("Key", "")).startswith("aws:"))
    ]


def _last_name(path: str) -> str:
    return path.rsplit(".", 1)[-1].split("[")[0]


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, (str, list, Mapping)) and not value)


def _same_scalar(expected: Any, found: Any) -> bool:
    if isinstance(expected, (Mapping, list)) or isinstance(found, (Mapping, list)):
        return False
    if isinstance(expected, str) and isinstance(found, str):
        return expected == found
    if isinstance(expected, datetime) or isinstance(found, datetime):
        return _moment(expected) == _moment(found)
    if isinstance(expected, bool) or isinstance(found, bool):
        return _text(expected).lower() == _text(found).lower()
    if expected is None or found is None:
        return expected is found
    try:
        return Decimal(_text(expected)) == Decimal(_text(found))
    except InvalidOperation:
        return _text(expected) == _text(found)


def _moment(value: Any) -> Any:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return value
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    return value


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
