"""Remembers what was made once, and what it depends on that is not chosen yet."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from trnkit.rules.reading.choices import Variable

T = TypeVar("T")


class Recorder:
    """The variables that are asked for while something is made.

    What is taken from memory depends on the same variables as when it was made.
    """

    def __init__(self) -> None:
        """Begin with nothing remembered."""
        self._consulted: list[set[Variable]] = []
        self._remembered: dict[object, tuple[Any, frozenset[Variable]]] = {}
        self._being_made: set[object] = set()

    def begin(self) -> None:
        """Begin to record."""
        self._consulted.append(set())

    def end(self) -> frozenset[Variable]:
        """End what was begun last.

        Returns:
            What was asked for meanwhile; it is asked for by what was begun before, too.
        """
        consulted = self._consulted.pop()
        if not consulted:
            return _NOTHING
        if self._consulted:
            self._consulted[-1] |= consulted
        return frozenset(consulted)

    def note(self, variables: Iterable[Variable]) -> None:
        """Something asks for variables that are not chosen."""
        if variables and self._consulted:
            self._consulted[-1].update(variables)

    @contextmanager
    def recording(self) -> Generator[set[Variable]]:
        """What is asked for within; the set is filled at the end."""
        found: set[Variable] = set()
        self.begin()
        try:
            yield found
        finally:
            found |= self.end()

    def is_being_made(self, key: object) -> bool:
        """Whether something is asked for from within itself."""
        return key in self._being_made

    def remember(self, key: object, make: Callable[[], T]) -> T:
        """What a function makes, made once for its key."""
        known = self._remembered.get(key)
        if known is not None:
            self.note(known[1])
            return known[0]
        self._being_made.add(key)
        self.begin()
        try:
            made = make()
        finally:
            consulted = self.end()
            self._being_made.discard(key)
        self._remembered[key] = (made, consulted)
        return made


_NOTHING: frozenset[Variable] = frozenset()
