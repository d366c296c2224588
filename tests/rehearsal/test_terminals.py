"""What a rehearsal writes to a terminal; tests/trnkit/cli/test_rehearse.py has plain ones."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import termios
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.rehearsal.started import Started

ESCAPE = "\x1b"
ERASE = "\r\x1b[K"

PLACES = {"80 columns": 80, "40 columns": 40}


def on_a_terminal(folder, columns):
    """What a rehearsal writes to a terminal of so many columns."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    written = bytearray()

    def listen():
        while True:
            try:
                part = os.read(controller, 4096)
            except OSError:
                return
            if not part:
                return
            written.extend(part)

    started = Started(folder, "--steps", "create", stdout=terminal, TERM="xterm")
    os.close(terminal)
    listener = threading.Thread(target=listen)
    listener.start()
    ended = started.end()
    listener.join()
    os.close(controller)
    assert (ended.code, ended.err) == (0, "")
    return written.decode().replace("\r\n", "\n")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("terminals")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("NO_COLOR", "COLUMNS", "LINES"):
            patch.delenv(name, raising=False)
        with ThreadPoolExecutor(2) as threads:
            texts = threads.map(lambda name: on_a_terminal(folder / name, PLACES[name]), PLACES)
            return dict(zip(PLACES, texts, strict=True))


@pytest.mark.parametrize("place", ["80 columns", "40 columns"])
def test_one_line_moves_fits_and_is_erased(written, place):
    columns = PLACES[place]
    lines = [text for text in written[place].split(ERASE) if text]
    moved = [line for line in lines if "\n" not in line]
    assert any("[####" in line for line in moved)
    assert any(" pretrain-N" in line for line in moved)
    assert max(len(line) for line in moved) == columns - 1
    assert all(line.isprintable() for line in moved)
    # Each thing that stays begins on a line of its own: the moving one was erased before it.
    shown = written[place].replace(ERASE, "\n")
    assert ESCAPE not in shown
    assert re.search(r"^  ok    cdk deploy made 3 stacks", shown, re.MULTILINE)
