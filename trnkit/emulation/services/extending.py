"""How moto's classes are extended: once, by functions around their methods and by new ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def first_time(kind: Any) -> bool:
    """Whether a class is extended for the first time; from now on it counts as extended.

    Args:
        kind: A class of moto's.
    """
    if "_extended_by_trnkit" in vars(kind):
        return False
    kind._extended_by_trnkit = True
    return True


def wrap(kind: Any, name: str, around: Callable[[Callable[..., Any], Any], Any]) -> None:
    """Put a function around a method that takes nothing but its object.

    Args:
        kind: A class of moto's.
        name: The method.
        around: Called with the method as it was, and the object.
    """
    original = getattr(kind, name)

    def method(self: Any) -> Any:
        return around(original, self)

    setattr(kind, name, method)


def add(kind: Any, operations: Iterable[Callable[..., Any]]) -> None:
    """Give a class methods under the names of the functions.

    Args:
        kind: A class of moto's.
        operations: The functions.
    """
    for operation in operations:
        setattr(kind, operation.__name__, operation)
