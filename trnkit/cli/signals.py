"""Signals that end a command, turned into an orderly end."""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import FrameType

_ENDING = ("SIGTERM", "SIGHUP")  # Windows has no SIGHUP


@contextlib.contextmanager
def unwound_by_signals() -> Generator[None]:
    """SIGTERM and SIGHUP unwind, so that processes are ended and half-written folders removed.

    A signal that the caller has switched off, as `nohup` does, stays off.
    """

    def unwind(number: int, frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    numbers = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
    caught = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    previous = {number: signal.signal(number, unwind) for number in caught}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
