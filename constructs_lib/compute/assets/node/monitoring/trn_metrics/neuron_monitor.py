"""neuron-monitor as a child process that is started again when it ends or falls silent."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any

MOST_LINE_BYTES = 4 << 20
"""A report of 64 logical cores with a few models each is well below 1 MiB."""

_CHUNK = 1 << 16
_LONGEST_WAIT = 60.0
_PARTS = {"neuron_runtime_data", "system_data", "instance_info", "neuron_hardware_info"}


class Lines:
    """Joins what a pipe hands over to lines, and drops those that are too long."""

    def __init__(self, most_bytes: int = MOST_LINE_BYTES) -> None:
        """Args: most_bytes: length of the longest line that is kept."""
        self.too_long = 0
        self._most = most_bytes
        self._parts: list[bytes] = []
        self._length = 0
        self._dropping = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take what came next; returns the lines that it completes, without their ends."""
        complete: list[bytes] = []
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._keep(piece)
            if not self._dropping:
                complete.append(b"".join(self._parts))
            self.forget()
        self._keep(rest)
        return complete

    def forget(self) -> None:
        """Begin anew: what was handed over last belongs to no line."""
        self._parts, self._length, self._dropping = [], 0, False

    def _keep(self, piece: bytes) -> None:
        if self._dropping:
            return
        self._length += len(piece)
        if self._length > self._most:
            self._parts, self._dropping = [], True
            self.too_long += 1
        elif piece:
            self._parts.append(piece)


class NeuronMonitor:
    """Runs a command for as long as wanted, and hands over each report that it writes.

    Args:
        command: The command and its arguments.
        on_report: Is called in the thread of `run` with each report.
        patience: Seconds of silence after which the process is ended and started again.
        first_wait: Seconds before the first new start; each further one waits twice as long, up
            to a minute, until a report came.
    """

    def __init__(
        self,
        command: Sequence[str],
        on_report: Callable[[Mapping[str, Any]], None],
        *,
        patience: float,
        first_wait: float = 1.0,
    ) -> None:
        self.restarts = 0
        self.malformed = 0
        self._command = list(command)
        self._on_report = on_report
        self._patience = patience
        self._first_wait = first_wait
        self._lines = Lines()
        self._stopping = threading.Event()
        self._reported = False

    @property
    def discarded(self) -> dict[str, int]:
        """Lines that were no report, by reason."""
        return {"malformed": self.malformed, "too_long": self._lines.too_long}

    def stop(self) -> None:
        """Let `run` end the process and return."""
        self._stopping.set()

    def run(self) -> None:
        """Keep the process running until `stop`."""
        wait = self._first_wait
        while not self._stopping.is_set():
            self._reported = False
            self._run_once()
            wait = self._first_wait if self._reported else wait
            if self._stopping.wait(wait):
                break
            wait = min(wait * 2, _LONGEST_WAIT)
            self.restarts += 1

    def _run_once(self) -> None:
        try:
            # A session of its own: what it starts ends with it.
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            say(f"{self._command[0]} does not start: {error}")
            return
        assert process.stdout is not None
        self._lines.forget()
        try:
            self._read(process.stdout)
        finally:
            end(process)
        if not self._stopping.is_set():
            say(f"{self._command[0]} ended with {process.returncode}")

    def _read(self, pipe: IO[bytes]) -> None:
        descriptor = pipe.fileno()
        heard = time.monotonic()
        while not self._stopping.is_set():
            if time.monotonic() - heard > self._patience:
                say(f"{self._command[0]} said nothing for {self._patience:.0f} s")
                return
            if not select.select([descriptor], [], [], 0.2)[0]:
                continue
            chunk = os.read(descriptor, _CHUNK)
            if not chunk:
                return
            for line in self._lines.feed(chunk):
                if line.strip() and self._take(line):
                    heard = time.monotonic()

    def _take(self, line: bytes) -> bool:
        try:
            report = json.loads(line)
        except (ValueError, RecursionError):
            report = None
        if not isinstance(report, dict) or not _PARTS & report.keys():
            self.malformed += 1
            return False
        self._reported = True
        self._on_report(report)
        return True


def end(process: subprocess.Popen[bytes], patience: float = 5.0) -> None:
    """End a process and all that it started: asked first, then killed."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        # Nobody may be left, or what is left may be ending.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
    if process.stdout is not None:
        process.stdout.close()


def say(text: str) -> None:
    """Write one line for the journal."""
    print(text, file=sys.stderr, flush=True)
