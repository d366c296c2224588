"""How time grows with size: a ratio within one process, which no slow machine upsets."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

LARGER = 8
"""How much larger the large input is: time in proportion grows 8-fold, each with each 64-fold."""

PROPORTIONAL = 24
"""The most that time in proportion grows eightfold to, with the noise of a busy machine."""

_LEAST_SECONDS = 0.05
"""Below this, starting up is what is measured."""


def growth(work: Callable[[Any], object], *, small: Any, large: Any) -> float:
    """How many times as much CPU time the large input takes."""
    least = min(_seconds(work, small) for _ in range(3))
    return _seconds(work, large) / max(least, _LEAST_SECONDS)


def _seconds(work: Callable[[Any], object], given: Any) -> float:
    begun = time.process_time()
    work(given)
    return time.process_time() - begun
