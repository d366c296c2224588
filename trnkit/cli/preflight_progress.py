"""How a preflight is shown while it runs: each check as it ends, and a bar on a terminal."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING, Any

from trnkit.cli.output import complain, uses_color
from trnkit.cli.rehearsal_progress import cut
from trnkit.report.words import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.operations.preflight.check import PreflightCheck
    from trnkit.operations.preflight.running import CheckRun

_BAR = 16
_ERASE = "\r\x1b[K"


class Silent:
    """For programs: nothing is shown."""

    def begun(self, checks: Sequence[PreflightCheck]) -> None:
        """The checks that are about to run."""

    def ended(self, run: CheckRun) -> None:
        """What became of one."""

    def done(self) -> None:
        """Nothing more comes."""


class Lines(Silent):
    """For logs: a line for each check as it ends, on standard error."""

    def ended(self, run: CheckRun) -> None:
        """A line that stays."""
        complain(f"{run.status:<8} {run.check.name} ({run.seconds:.1f} s)")


class Bar(Lines):
    """For people: the same lines, and below them a bar with what is waited for.

    Args:
        stream: A terminal.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._waiting: list[str] = []
        self._all = 0

    def begun(self, checks: Sequence[PreflightCheck]) -> None:
        """The empty bar."""
        self._waiting = [check.name for check in checks]
        self._all = len(checks)
        self._draw()

    def ended(self, run: CheckRun) -> None:
        """A line that stays, and the bar below it."""
        self.done()
        super().ended(run)
        self._waiting.remove(run.check.name)
        if self._waiting:
            self._draw()

    def done(self) -> None:
        """Take the bar away."""
        self._write(_ERASE)

    def _draw(self) -> None:
        ended = self._all - len(self._waiting)
        filled = _BAR * ended // self._all
        bar = "#" * filled + "." * (_BAR - filled)
        text = f"[{bar}] {ended}/{self._all} waits for {', '.join(self._waiting)}"
        width = shutil.get_terminal_size().columns - 1
        self._write(_ERASE + cut(printable(text), width))

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):  # A terminal that is gone: SIGHUP comes too.
            self._stream.write(text)
            self._stream.flush()


def progress_for(report_format: str, stream: Any) -> Silent:
    """Who shows a preflight in the format asked for; `stream` is standard error."""
    if report_format != "text":
        return Silent()
    # What moves the line is an escape sequence, which NO_COLOR and TERM=dumb do without.
    return Bar(stream) if uses_color(stream) else Lines()
