"""One line of JSON for each step, as the boot writes them: to a file and to standard output."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import time
from pathlib import Path

LOG = "/var/log/trnkit-drain.log"
_MOST_DETAIL = 300


class Step:
    """What came of one step.

    Attributes:
        name: `wall`, `hook:10-slurm`, `signal:training`.
        status: As in the log of the boot: `ok`, `skipped`, `warning`, `failed`; `planned` where
            nothing is done.
        detail: What to know of it, one line.
        seconds: How long it took, in whole seconds.
    """

    def __init__(self, name: str, status: str, detail: str = "", seconds: float = 0.0) -> None:
        """Keep it; a text of many lines becomes its last one."""
        self.name, self.status = name, status
        self.detail, self.seconds = last_line(detail), int(seconds)

    def as_record(self) -> dict[str, object]:
        """As the state file keeps it."""
        return {
            "step": self.name,
            "status": self.status,
            "seconds": self.seconds,
            "detail": self.detail,
        }


class Journal:
    """Where steps are told."""

    def __init__(self, root: str, *, to_file: bool) -> None:
        """Keep where the log is.

        Args:
            root: What stands for `/`.
            to_file: Whether the file is written at all; standard output always is.
        """
        self._path = Path(root + LOG)
        self._to_file = to_file

    def tell(self, step: Step, attempt: int) -> None:
        """Write a step down; a full disk decides nothing here, and is said on standard error.

        Neither does whoever started the program and no longer listens.
        """
        record = {"time": utc(time.time()), **step.as_record(), "attempt": attempt}
        line = (json.dumps(record) + "\n").encode("ascii")
        try:
            _write(1, line)
        except OSError as error:
            complain(f"standard output cannot be written: {error.strerror}")
        if not self._to_file:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            _append(self._path, line)
        except OSError as error:
            complain(f"{LOG} cannot be written: {error.strerror}")


def complain(words: str) -> None:
    """Say what went wrong on standard error, where that is still heard."""
    with contextlib.suppress(OSError):
        _write(2, f"trn-drain: {words}\n".encode())


def _append(path: Path, line: bytes) -> None:
    """Add to an ordinary file; a pipe that nobody reads would hold everything up."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    held = os.open(path, flags | os.O_NOCTTY | os.O_CLOEXEC, 0o644)
    try:
        if not stat.S_ISREG(os.fstat(held).st_mode):
            raise OSError(errno.EINVAL, "it is no ordinary file")
        _write(held, line)
    finally:
        os.close(held)


def _write(descriptor: int, text: bytes) -> None:
    while text:
        text = text[os.write(descriptor, text) :]


def utc(moment: float) -> str:
    """A moment as everything here writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


def last_line(text: str) -> str:
    """The last line that says anything, of printable characters alone."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "".join(c if c.isprintable() else "?" for c in (lines or [""])[-1])[:_MOST_DETAIL]
