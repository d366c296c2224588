"""How a preflight is shown while it runs: what is not ok as it ends, and a bar on a terminal."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING, Any

from trnkit.cli.output import complain, uses_color
from trnkit.cli.rehearsal_progress import cut
from trnkit.report.words import count_of

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
    """For logs: a line for each check that is not ok as it ends, and one for those that are.

    The report has all of them, and says what they found.
    """

    def __init__(self) -> None:
        self._all = self._ended = self._good = 0
        self._seconds = 0.0

    def begun(self, checks: Sequence[PreflightCheck]) -> None:
        """Nothing yet."""
        self._all = len(checks)

    def ended(self, run: CheckRun) -> None:
        """A line that stays, when the check is not ok, and one after the last."""
        self._ended += 1
        self._seconds = max(self._seconds, run.seconds)
        if run.status == "ok":
            self._good += 1
        else:
            _line(run.status, run.check.name, run.seconds)
        if self._ended == self._all:
            _line("ok", f"{self._good} of {count_of(self._all, 'check')}", self._seconds)


class Bar(Lines):
    """For people: the same lines, and below them a bar with what is waited for.

    Args:
        stream: A terminal.
    """

    def __init__(self, stream: Any) -> None:
        super().__init__()
        self._stream = stream
        self._waiting: list[str] = []

    def begun(self, checks: Sequence[PreflightCheck]) -> None:
        """The empty bar."""
        super().begun(checks)
        self._waiting = [check.name for check in checks]
        self._draw()

    def ended(self, run: CheckRun) -> None:
        """What stays, and the bar below it."""
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
        width = shutil.get_terminal_size().columns - 1
        text = whole_names(f"[{bar}] {ended}/{self._all} waits for ", self._waiting, width)
        self._write(_ERASE + cut(text, width))

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):  # A terminal that is gone: SIGHUP comes too.
            self._stream.write(text)
            self._stream.flush()


def _line(status: str, what: str, seconds: float) -> None:
    complain(f"{status:<8} {what} ({seconds:.1f} s)")


def whole_names(begin: str, names: Sequence[str], width: int) -> str:
    """As many names as fit, each whole, and how many more there are.

    Args:
        begin: What stands before them.
        names: One at least.
        width: Columns that the text may take; where no name fits, their number is there.
    """
    shown = begin + ", ".join(names)
    for number in range(len(names) - 1, 0, -1):
        if len(shown) <= width:
            break
        shown = f"{begin}{', '.join(names[:number])} and {len(names) - number} more"
    return shown if len(shown) <= width else begin + count_of(len(names), "check")


def progress_for(report_format: str, stream: Any) -> Silent:
    """Who shows a preflight in the format asked for; `stream` is standard error."""
    if report_format != "text":
        return Silent()
    # What moves the line is an escape sequence, which NO_COLOR and TERM=dumb do without.
    return Bar(stream) if uses_color(stream) else Lines()
