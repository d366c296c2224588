"""What a construct's arguments must be. Each function says at once what is wrong with one.

They are called before any child exists, and raise `ConstructError`: the argument's name, what it
must be, what was got. Kinds of text are those of the cluster file, so that both judge alike. A
value that the CDK fills in later (a token) is never judged: nothing is known about it yet.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aws_cdk import RemovalPolicy, Stack, Token
from pydantic import TypeAdapter, ValidationError

from trnkit.config.values import Text
from trnkit.errors import ConstructError

if TYPE_CHECKING:
    from aws_cdk import IResource
    from constructs import Construct

_TOKEN_MARKS = ("${Token[", "#{Token[")
_SMALLEST_PLAIN_NUMBER = -1e280
_NOUN = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_KEPT_OR_NOT = (
    RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    RemovalPolicy.RETAIN,
    RemovalPolicy.DESTROY,
)
_adapters: dict[int, TypeAdapter[Any]] = {}


def is_unresolved(value: object) -> bool:
    """Whether the CDK knows the value only later. Asks the CDK only about what looks like it."""
    if isinstance(value, str):
        return any(mark in value for mark in _TOKEN_MARKS)
    if isinstance(value, int | float) and not isinstance(value, bool):
        # Tokens in place of numbers are numbers like -1.88e+289.
        # Whole numbers may be too large for `math.isfinite`.
        plain = math.inf in (value, -value) or not value <= _SMALLEST_PLAIN_NUMBER
        plain = plain or value < -sys.float_info.max
        return not plain and Token.is_unresolved(value)
    return hasattr(value, "resolve") and hasattr(value, "creation_stack")


def is_text(value: object) -> bool:
    """Whether a value is text; annotations promise it, and nothing keeps the promise."""
    return isinstance(value, str)


def as_text(value: float | str) -> str:
    """A number as text, also one that is known later."""
    return Token.as_string(value) if is_unresolved(value) else str(value)


def whole_number(
    name: str,
    value: object,
    *,
    least: int | None = None,
    most: int | None = None,
    optional: bool = False,
) -> None:
    """Check a whole number.

    Raises:
        ConstructError: It is something else, or out of bounds.
    """
    if is_unresolved(value) or (optional and value is None):
        return
    if isinstance(value, bool) or not isinstance(value, int):
        raise ConstructError(f"{name} must be a whole number{_within(least, most)}, got {value!r}")
    _check_bounds(name, value, least, most)


def number(
    name: str,
    value: object,
    *,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    optional: bool = False,
) -> None:
    """Check a finite number; an infinite one would end the process that the CDK runs in.

    Raises:
        ConstructError: It is something else, or out of bounds.
    """
    if is_unresolved(value) or (optional and value is None):
        return
    largest = sys.float_info.max
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not -largest <= value <= largest
    ):
        raise ConstructError(f"{name} must be a number{_within(least, most)}, got {value!r}")
    if above is not None and not value > above:
        raise ConstructError(f"{name} must be more than {above:g}, got {value!r}")
    _check_bounds(name, value, least, most)


def _check_bounds(name: str, value: float, least: float | None, most: float | None) -> None:
    if (least is not None and value < least) or (most is not None and value > most):
        raise ConstructError(f"{name} must be{_within(least, most)}, got {value!r}")


def _within(least: float | None, most: float | None) -> str:
    if least is not None and most is not None:
        return f" {least:.15g} to {most:.15g}"
    if least is not None:
        return f" {least:.15g} or more"
    return "" if most is None else f" {most:.15g} or less"


def flag(name: str, value: object, *, optional: bool = False) -> None:
    """Check that a value is True or False.

    Raises:
        ConstructError: It is something else.
    """
    if not (isinstance(value, bool) or is_unresolved(value) or (optional and value is None)):
        raise ConstructError(f"{name} must be True or False, got {value!r}")


def one_of(name: str, value: object, allowed: Iterable[object], *, optional: bool = False) -> None:
    """Check that a value is one of a few.

    Raises:
        ConstructError: It is none of them.
    """
    if is_unresolved(value) or (optional and value is None):
        return
    known = tuple(allowed)
    # 1 equals True, and 2.0 equals 2.
    if not any(type(value) is type(item) and value == item for item in known):
        words = [str(item) for item in known]
        listed = f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]
        raise ConstructError(f"{name} must be {listed}, got {value!r}")


def text(name: str, value: object, kind: Any = Text, *, optional: bool = False) -> None:
    """Check text of a kind of the cluster file, such as `trnkit.config.values.Email`.

    Raises:
        ConstructError: It is no text, or of another shape.
    """
    if is_unresolved(value) or (optional and value is None):
        return
    if not isinstance(value, str):
        raise ConstructError(f"{name} must be text, got {value!r}")
    adapter = _adapters.setdefault(id(kind), TypeAdapter(kind))
    try:
        adapter.validate_python(value)
    except ValidationError as error:
        details = error.errors(include_url=False)[0]
        most = (details.get("ctx") or {}).get("max_length")
        wrong = f"must have at most {most} characters" if most else details["msg"]
        raise ConstructError(f"{name} {wrong}, got {value!r}") from None


def entries(name: str, value: object, kind: type | None = None) -> None:
    """Check a list, and what its entries are.

    Raises:
        ConstructError: It is no list (text is none), or an entry is of another type.
    """
    wrong = isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence)
    if wrong:
        raise ConstructError(f"{name} must be a list, got {value!r}")
    assert isinstance(value, Sequence)
    for entry in value:
        if kind is not None:
            instance(f"each of {name}", entry, kind)


def text_list(name: str, value: object, kind: Any = Text) -> None:
    """Check a list of texts of a kind.

    Raises:
        ConstructError: It is no list, or an entry is of another shape.
    """
    entries(name, value)
    assert isinstance(value, Sequence)
    for entry in value:
        text(name, entry, kind)


def choices(name: str, value: object, allowed: Sequence[str]) -> None:
    """Check a list whose entries are each one of a few, and none of them twice.

    Raises:
        ConstructError: It is no such list.
    """
    entries(name, value)
    assert isinstance(value, Sequence)
    for entry in value:
        one_of(f"each of {name}", entry, allowed)
        if list(value).count(entry) > 1:
            raise ConstructError(f"{name} must not name {entry} twice, got {list(value)!r}")


def instance(name: str, value: object, kind: type, *, optional: bool = False) -> None:
    """Check that a value is of a class of this library.

    Raises:
        ConstructError: It is something else.
    """
    if not (isinstance(value, kind) or (optional and value is None)):
        raise ConstructError(f"{name} must be {_article(kind.__name__)}, got {value!r}")


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'AEIOU' else 'a'} {noun}"


def removal_policy(name: str, value: object) -> None:
    """Check what is to become of something stateful; none of ours has snapshots to be made of it.

    Raises:
        ConstructError: Neither kept nor destroyed.
    """
    if value not in _KEPT_OR_NOT:
        words = ", ".join(policy.name for policy in _KEPT_OR_NOT[:-1])
        got = value.name if isinstance(value, RemovalPolicy) else repr(value)
        raise ConstructError(f"{name} must be {words} or {_KEPT_OR_NOT[-1].name}, got {got}")


def resource(name: str, value: object) -> None:
    """Check that there is a resource of the CDK.

    Raises:
        ConstructError: It is none.
    """
    if not hasattr(value, "env"):
        raise ConstructError(f"{name} must be a resource of the CDK, got {value!r}")


def same_region(scope: Construct, **resources: IResource | None) -> None:
    """Check that what a construct refers to is in the region of its stack.

    Raises:
        ConstructError: One is known to be elsewhere, where its id means nothing.
    """
    here = Stack.of(scope).region
    for name, given in resources.items():
        if given is None:
            continue
        resource(name, given)
        there = given.env.region
        if there != here and not is_unresolved(there) and not is_unresolved(here):
            raise ConstructError(f"{name} must be in {here} like the stack, got one in {there}")


def noun(construct: Construct, name: str, ids: Iterable[str]) -> None:
    """Check a name that begins the construct ids of what a method makes.

    Args:
        construct: Whose method it is.
        name: The name.
        ids: Construct ids that would be made.

    Raises:
        ConstructError: It is no noun, or was used before.
    """
    if not is_text(name) or _NOUN.fullmatch(name) is None:
        raise ConstructError(f"name must be a noun in PascalCase such as Nodes, got {name!r}")
    if any(construct.node.try_find_child(child) for child in ids):
        raise ConstructError(
            f"name must differ from call to call, got {name!r} twice for {construct.node.path}"
        )
