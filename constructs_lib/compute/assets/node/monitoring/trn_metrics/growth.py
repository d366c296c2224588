"""Sums of counters that begin again when their driver or process does."""

from __future__ import annotations

from collections.abc import Hashable


class Growth:
    """How much counters grew in all, each told by a key.

    A counter that is lower than before began again: what it shows has been counted since. One that
    is gone keeps its share, so the sum never falls.
    """

    def __init__(self, most_keys: int) -> None:
        """Args: most_keys: counters that are followed; further ones are left out."""
        self.total = 0.0
        self._most = most_keys
        self._last: dict[Hashable, float] = {}

    def see(self, key: Hashable, value: float) -> float:
        """Take what a counter shows now.

        Returns:
            How much it grew.
        """
        before = self._last.get(key)
        if before is None and len(self._last) >= self._most:
            return 0.0
        grown = value if before is None or value < before else value - before
        self._last[key] = value
        self.total += grown
        return grown
