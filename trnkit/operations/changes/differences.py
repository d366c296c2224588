"""Where two values differ, property by property.

Lists are compared by what is in them where their order says nothing: tags by key, what the registry
calls unordered, statements and actions of a policy. Elsewhere the items that are the same are found
first, so that one item more does not make all after it differ.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from trnkit.operations.changes.normal_form import Call, Form, Text, TooDeep, key_of

if TYPE_CHECKING:
    from trnkit.operations.changes.registry import Path

IsUnordered: TypeAlias = "Callable[[Path], bool]"

_STATEMENT_LISTS = frozenset({"Statement", "Action", "NotAction", "Resource", "NotResource"})
_IDENTIFYING = ("Key", "DeviceName", "Name", "Id", "Sid", "GroupName", "InstanceGroupName")
_MAX_ITEMS = 2000
"""Longer lists are compared item by item: finding what is the same takes time with their square."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that differs.

    Attributes:
        path: The way to it below `Properties`.
        old: What it was; None when absent.
        new: What it is; None when absent.
        only_order: Whether the same items stand in another order, which says nothing by itself.
        indirect: Whether only what it refers to changes.
        uncertain: Whether it is not even certain that this changes.
    """

    path: Path
    old: Form
    new: Form
    only_order: bool = False
    indirect: bool = False
    uncertain: bool = False

    @property
    def top(self) -> str:
        """The property it lies in."""
        return str(self.path[0]) if self.path else ""

    @property
    def name(self) -> str:
        """The last key on the way to it."""
        return next((part for part in reversed(self.path) if isinstance(part, str)), "")

    @property
    def is_unknown(self) -> bool:
        """Whether one of the sides is a value that cannot be looked at."""
        return isinstance(self.old, TooDeep) or isinstance(self.new, TooDeep)


def differences(old: Form, new: Form, is_unordered: IsUnordered) -> list[Difference]:
    """All differences of two values in normal form.

    Args:
        old: The first.
        new: The second.
        is_unordered: Tells for a path whether the order of the list there says nothing.
    """
    return [*_compare(old, new, (), is_unordered)]


def _compare(old: Form, new: Form, path: Path, is_unordered: IsUnordered) -> Iterator[Difference]:
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            yield from _compare(old.get(key), new.get(key), (*path, key), is_unordered)
    elif _is_listed(path) and (isinstance(old, list) or isinstance(new, list)) and old and new:
        yield from _compare_lists(_as_list(old), _as_list(new), path, is_unordered)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _compare_lists(old, new, path, is_unordered)
    elif isinstance(old, Call) and isinstance(new, Call) and old.name == new.name == "Fn::Base64":
        yield Difference(path, old.argument, new.argument)
    else:
        yield Difference(path, old, new)


def _as_list(form: Form) -> list[Form]:
    return form if isinstance(form, list) else [form]


def _is_listed(path: Path) -> bool:
    """Whether one value and a list of it mean the same: in policies."""
    return bool(path) and path[-1] in _STATEMENT_LISTS


def _compare_lists(
    old: list[Form], new: list[Form], path: Path, is_unordered: IsUnordered
) -> Iterator[Difference]:
    keys = [[key_of(item) for item in items] for items in (old, new)]
    if sorted(keys[0]) == sorted(keys[1]):
        if not _is_listed(path) and not _are_tags(old):
            yield Difference(path, old, new, only_order=is_unordered(path))
        return
    identity = _identity(old, new)
    if identity is not None:
        yield from _compare_named(old, new, path, identity, is_unordered)
    elif _is_listed(path) or is_unordered(path):
        yield from _compare_sets(old, new, path, is_unordered)
    else:
        yield from _compare_sequences(old, new, path, is_unordered)


def _are_tags(items: list[Form]) -> bool:
    return all(isinstance(item, dict) and "Key" in item for item in items)


def _identity(old: list[Form], new: list[Form]) -> str | None:
    """The key by which the items of both lists are told apart, when there is one."""
    items = [*old, *new]
    if not all(isinstance(item, dict) for item in items):
        return None
    for name in _IDENTIFYING:
        values = [[item.get(name) for item in side] for side in (old, new)]
        if all(
            all(isinstance(value, str) for value in side) and len(set(side)) == len(side)
            for side in values
        ):
            return name
    return None


def _compare_named(
    old: list[Form], new: list[Form], path: Path, name: str, is_unordered: IsUnordered
) -> Iterator[Difference]:
    before = {item[name]: (index, item) for index, item in enumerate(old)}
    after = {item[name]: (index, item) for index, item in enumerate(new)}
    for key in dict.fromkeys([*before, *after]):
        index, then = before.get(key, (0, None))
        index, now = after.get(key, (index, None))
        yield from _compare(then, now, (*path, index), is_unordered)


def _compare_sets(
    old: list[Form], new: list[Form], path: Path, is_unordered: IsUnordered
) -> Iterator[Difference]:
    """What is on one side only, each with the one that stands in its place on the other."""
    left = {key_of(item): index for index, item in enumerate(new)}
    gone: list[Form] = []
    for item in old:
        if left.pop(key_of(item), None) is None:
            gone.append(item)
    come = sorted(left.values())
    yield from _pairs(gone, [new[index] for index in come], path, come, is_unordered)


def _compare_sequences(
    old: list[Form], new: list[Form], path: Path, is_unordered: IsUnordered
) -> Iterator[Difference]:
    if max(len(old), len(new)) > _MAX_ITEMS:
        yield from _pairs(old, new, path, [*range(len(new))], is_unordered)
        return
    keys = [[key_of(item) for item in items] for items in (old, new)]
    matcher = difflib.SequenceMatcher(a=keys[0], b=keys[1], autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind != "equal":
            yield from _pairs(old[a:b], new[c:d], path, [*range(c, d)], is_unordered)


def _pairs(
    old: list[Form], new: list[Form], path: Path, places: list[int], is_unordered: IsUnordered
) -> Iterator[Difference]:
    """One by one; what is left over on a side is gone, or has come."""
    for number in range(max(len(old), len(new))):
        then = old[number] if number < len(old) else None
        now = new[number] if number < len(new) else None
        place = places[number] if number < len(places) else number
        yield from _compare(then, now, (*path, place), is_unordered)


def lines_of(form: Form) -> list[str]:
    """The lines of a text, with a symbol's name where a deployment puts a value."""
    if isinstance(form, Text):
        return "".join(p if isinstance(p, str) else f"${{{key_of(p)}}}" for p in form.parts).split(
            "\n"
        )
    return form.split("\n") if isinstance(form, str) else []
