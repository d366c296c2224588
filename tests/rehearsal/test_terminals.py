"""What a rehearsal writes to a terminal; tests/trnkit/cli/test_rehearse.py has plain ones."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import termios
import threading

import pytest

from tests.rehearsal.started import Started

ERASE = "\r\x1b[K"
WIDE, NARROW = 80, 40
HALF_WAY = "cdk bootstrap made the bootstrap stack"


def set_columns(terminal, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """What is written to a terminal of 80 columns, and after it was made one of 40."""
    controller, terminal = pty.openpty()
    set_columns(terminal, WIDE)
    written = bytearray()
    narrow_from = []

    def listen():
        while True:
            try:
                part = os.read(controller, 4096)
            except OSError:
                return
            if not part:
                return
            written.extend(part)
            if not narrow_from and HALF_WAY.encode() in written:
                set_columns(controller, NARROW)
                narrow_from.append(True)

    with pytest.MonkeyPatch.context() as patch:
        for name in ("NO_COLOR", "COLUMNS", "LINES"):
            patch.delenv(name, raising=False)
        folder = tmp_path_factory.mktemp("terminal")
        started = Started(folder, "--steps", "create", stdout=terminal, TERM="xterm")
    os.close(terminal)
    listener = threading.Thread(target=listen)
    listener.start()
    ended = started.end()
    listener.join()
    os.close(controller)
    assert (ended.code, ended.err) == (0, "")
    # The first events may come before the terminal is another one.
    before, found, after = written.decode().replace("\r\n", "\n").partition("cdk deploy made")
    wide, half_way, rest = before.partition(HALF_WAY)
    deployment = rest[len(rest) // 2 :]
    return wide, deployment[deployment.index(ERASE) :], half_way + rest + found + after


def moving(text):
    """What stood in the line that moves."""
    return [part for part in text.split(ERASE) if part and "\n" not in part]


def test_one_line_moves_and_fits(written):
    wide, narrow, _ = written
    assert max(len(line) for line in moving(wide)) == WIDE - 1
    assert max(len(line) for line in moving(narrow)) == NARROW - 1
    for line in moving(wide) + moving(narrow):
        assert line.isprintable()
    assert any(re.match(r"  \[#+\.*\] \d+/\d+ CDKToolkit CREATE_", line) for line in moving(wide))
    assert any(re.match(r"  \[#+\.*\] \d+/\d+ pretrain-", line) for line in moving(narrow))


def test_it_is_erased_before_anything_that_stays(written):
    shown = written[2].replace(ERASE, "\n")
    assert "\x1b" not in shown
    assert "\r" not in shown
    assert re.search(r"^  ok    cdk deploy made 3 stacks", shown, re.MULTILINE)
    assert shown.endswith(")\n")
