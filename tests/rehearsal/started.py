"""`trnkit rehearse` in a process of its own, and what it leaves behind."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from tests.synthesis import ROOT
from tests.trnkit.cli.conftest import MINIMAL

LONGEST = 120.0
TRNKIT = (sys.executable, "-m", "trnkit.cli.main")


class Ended(NamedTuple):
    """How a rehearsal ended."""

    code: int
    out: str
    err: str


class Started:
    """A rehearsal that runs.

    Args:
        folder: A folder of its own; temporary files go to ``tmp`` in it.
        arguments: What `trnkit rehearse` is given besides the file.
        before: A command that runs it, such as ``unshare``.
        file: The cluster file; None: a small one.
        environment: Further variables.
    """

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        before: tuple[str, ...] = (),
        file: Path | None = None,
        stdout: int | None = None,
        **environment: str,
    ) -> None:
        self.tmp = folder / "tmp"
        self.tmp.mkdir(parents=True, exist_ok=True)
        if file is None:
            file = folder / "cluster.yaml"
            file.write_text(MINIMAL)
        self._out, self._err = folder / "out", folder / "err"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                [*before, *TRNKIT, "rehearse", str(file), *arguments],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(self.tmp), **environment},
                stdin=subprocess.DEVNULL,
                stdout=out if stdout is None else stdout,
                stderr=err,
                start_new_session=True,
            )

    def wait_for(self, words: str) -> None:
        """Wait until it has written something."""
        deadline = time.monotonic() + LONGEST
        while words not in self.out and words not in self.err:
            assert self.process.poll() is None, self.out + self.err
            assert time.monotonic() < deadline, self.out + self.err
            time.sleep(0.02)

    @property
    def out(self) -> str:
        """What it wrote to standard output so far."""
        return self._out.read_text(errors="replace")

    @property
    def err(self) -> str:
        """What it wrote to standard error so far."""
        return self._err.read_text(errors="replace")

    def server(self) -> int:
        """The process id of its emulated AWS, which is there."""
        deadline = time.monotonic() + LONGEST
        while True:
            for pid, command in self.processes().items():
                if "trnkit.emulation.server" in command:
                    return pid
            assert self.process.poll() is None, self.out + self.err
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def processes(self) -> dict[int, str]:
        """Processes that it started and that are there, with their command lines."""
        found: dict[int, str] = {}
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and str(self.tmp) in (entry / "environ").read_text(
                    errors="replace"
                ):
                    words = (entry / "cmdline").read_text(errors="replace")
                    found[int(entry.name)] = words.replace("\0", " ")
        found.pop(self.process.pid, None)
        return found

    def send(self, number: signal.Signals, *, to_group: bool = False) -> None:
        """Send it a signal; to its group as a terminal does."""
        if to_group:
            os.killpg(self.process.pid, number)
        else:
            self.process.send_signal(number)

    def end(self) -> Ended:
        """Wait until it has ended."""
        try:
            self.process.wait(LONGEST)
        finally:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
        return Ended(self.process.returncode, self.out, self.err)

    def leaves_nothing(self, within: float = 2.0) -> None:
        """Assert that no process and no file is left after a moment, which death takes."""
        deadline = time.monotonic() + within
        while (self.processes() or any(self.tmp.iterdir())) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not self.processes()
        assert not list(self.tmp.iterdir())


def sentence(ended: Ended) -> str:
    """The one line of standard error."""
    assert "Traceback" not in ended.err + ended.out
    assert len(ended.err.splitlines()) == 1, ended.err
    return ended.err.strip()


def allowed(*command: str) -> bool:
    """Whether this machine lets us run something."""
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
