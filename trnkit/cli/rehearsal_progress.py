"""How a rehearsal is shown while it runs: facts as they come, and one moving line on a terminal."""

from __future__ import annotations

import contextlib
import shutil
import unicodedata
from typing import TYPE_CHECKING, Any

from trnkit.cli.output import emit, uses_color
from trnkit.operations.rehearsal.progress import Progress
from trnkit.report.rehearsal import fact_lines
from trnkit.report.words import printable

if TYPE_CHECKING:
    from trnkit.operations.rehearsal.cdk_cli import Event
    from trnkit.report.rehearsal_results import Fact

_BAR = 16
_ERASE = "\r\x1b[K"


class Silent(Progress):
    """For programs: nothing is shown."""

    def done(self) -> None:
        """Nothing to clean up."""


class Shown(Silent):
    """For people.

    Args:
        stream: Where it goes.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        # What moves the line is an escape sequence, which NO_COLOR and TERM=dumb do without.
        self._moves = uses_color(stream)
        self._stands = False
        self._step = ""

    def step(self, name: str, text: str) -> None:
        """A line for each step; what it does now stands in the moving line."""
        if name != self._step and name != "prove":
            self._clear()
            emit(f"{name}")
            self._step = name
        self._move(text)

    def event(self, event: Event) -> None:
        """The moving line."""
        whole = event.of or max(event.done, 1)
        filled = min(_BAR, _BAR * event.done // whole)
        bar = "#" * filled + "." * (_BAR - filled)
        count = f"{event.done}/{event.of}" if event.of else str(event.done)
        kind = event.type.removeprefix("AWS::")
        self._move(f"[{bar}] {count} {event.stack} {event.status} {kind} {event.resource}")

    def fact(self, fact: Fact) -> None:
        """Lines that stay."""
        self._clear()
        emit("\n".join(fact_lines(fact)))

    def done(self) -> None:
        """Take the moving line away."""
        self._clear()

    def _move(self, text: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        self._stands = True
        self._write(_ERASE + cut(f"  {printable(' '.join(text.split()))}", width))

    def _clear(self) -> None:
        if self._stands:
            self._stands = False
            self._write(_ERASE)

    def _write(self, text: str) -> None:
        if self._moves:
            with contextlib.suppress(OSError):  # a terminal that is gone: SIGHUP comes too
                self._stream.write(text)
                self._stream.flush()


def cut(text: str, width: int) -> str:
    """The beginning of a text that fits into so many columns; some characters take two."""
    left = width
    for index, character in enumerate(text):
        left -= 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if left < 0:
            return text[:index]
    return text


def progress_for(data_format: str, stream: Any) -> Silent:
    """Who shows a rehearsal in the format asked for."""
    return Shown(stream) if data_format == "text" else Silent()
