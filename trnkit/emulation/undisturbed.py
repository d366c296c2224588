"""A few lines that run to their end whatever signal comes."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP


@contextlib.contextmanager
def undisturbed() -> Generator[None]:
    """Hold back what would end this process, and let it come after the block.

    For blocks that start something and note it down, or that take it away: cut in half, they leave
    a process or a folder behind. Signals that are switched off, as `nohup` does, stay off.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals come to the main thread
        return
    came: list[int] = []
    previous: dict[int, Any] = {}

    def note(number: int, frame: Any) -> None:
        came.append(number)

    try:
        for number in (getattr(signal, name) for name in _ENDING if hasattr(signal, name)):
            handler = signal.getsignal(number)
            if handler not in (signal.SIG_IGN, None):
                previous[number] = handler
                signal.signal(number, note)
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])
