"""Does work in a process of its own that is left behind when it does not end.

Whoever opens a file of a dead file server may never come back, and no thread can be ended. So the
process that writes the report opens nothing: it is told what was found, and goes on at its time.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import selectors
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    from collections.abc import Iterator

_LENGTH = 8
_CHUNK = 65536
_MOST_DESCRIPTORS = 1024

Send = Callable[[Any], None]


def watched(work: Callable[[Send], None], until: float) -> Iterator[Any]:
    """Yield what `work` sends from a process of its own, until it ends or the time is over.

    Args:
        work: Is given a function that sends a value; may be called by several threads.
        until: `time.monotonic()` after which the process is killed, and not waited for.
    """
    reader, writer = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    process = os.fork()
    if process == 0:
        _work(work, writer)
    os.close(writer)
    try:
        yield from _receive(reader, until)
    finally:
        os.close(reader)
    # Here only when nothing interrupted: then it ends by itself, and its tools with it.
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(process, os.WNOHANG)


def _receive(reader: int, until: float) -> Iterator[Any]:
    waiting = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(reader, selectors.EVENT_READ)
        while (left := until - time.monotonic()) > 0:
            if not selector.select(left):
                continue
            chunk = os.read(reader, _CHUNK)
            if not chunk:
                return
            waiting += chunk
            while len(waiting) >= _LENGTH:
                end = _LENGTH + int.from_bytes(waiting[:_LENGTH], "big")
                if len(waiting) < end:
                    break
                yield pickle.loads(waiting[_LENGTH:end])  # noqa: S301  our own child wrote it
                del waiting[:end]


def _work(work: Callable[[Send], None], writer: int) -> None:
    """The whole life of the process; it keeps nothing open that others may wait for."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(nothing, descriptor)
        os.closerange(3, writer)
        os.closerange(writer + 1, _MOST_DESCRIPTORS)
        guard = threading.Lock()

        def send(value: Any) -> None:
            body = pickle.dumps(value)
            with guard, contextlib.suppress(BrokenPipeError):  # who asked has gone
                left = memoryview(len(body).to_bytes(_LENGTH, "big") + body)
                while left:
                    left = left[os.write(writer, left) :]

        work(send)
        code = 0
    finally:
        # Neither threads that hang nor what the parent wanted done at its end are waited for.
        os._exit(code)
