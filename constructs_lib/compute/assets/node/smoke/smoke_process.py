"""Run a program with a time limit, and say what was hanging when it was over.

Python 3.9 without packages, because nodes of Amazon Linux 2023 have nothing else.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

_GRACE_SECONDS = 10
_TAIL_LINES = 12
_TAIL_CHARACTERS = 1500


class InterruptedRun(Exception):
    """This program was told to stop, by a scheduler's time limit or by a person."""


def stop_on_signals() -> None:
    """Turn the signals of schedulers into an exception, so that a result is still written."""

    def stop(number: int, frame: object) -> None:
        raise InterruptedRun(signal.Signals(number).name)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup leaves SIGHUP
            signal.signal(number, stop)


def run_limited(command: list[str], seconds: float, environment: dict[str, str]) -> dict[str, Any]:
    """Run a program and everything it starts, for at most so long.

    Args:
        command: The program and its arguments.
        seconds: The time limit.
        environment: Its environment variables.

    Returns:
        `status` (passed, failed, hung, interrupted), `seconds`, `exit_code`, `output_tail`, and
        when it did not end by itself `alive`: what was still running, and in which state.
    """
    began = time.monotonic()
    with tempfile.TemporaryFile() as output:
        try:
            # A session of its own, so that the whole tree can be ended at once.
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            return {
                "status": "failed",
                "seconds": 0.0,
                "exit_code": None,
                "output_tail": [],
                "message": f"{command[0]} cannot be started: {error.strerror}",
            }
        found: dict[str, Any] = {}
        try:
            code = process.wait(timeout=seconds)
            found["status"] = "failed" if code else "passed"
        except subprocess.TimeoutExpired:
            found["status"] = "hung"
        except InterruptedRun as reason:
            found["status"] = "interrupted"
            found["signal"] = str(reason)
        if found["status"] in ("hung", "interrupted"):
            found["alive"] = alive_in_session(process.pid)
            _end_session(process)
        found["exit_code"] = process.returncode
        found["seconds"] = round(time.monotonic() - began, 3)
        found["output_tail"] = _tail(output)
    return found


def alive_in_session(session: int, proc: Path = Path("/proc")) -> list[str]:
    """The processes of a session: name, id, state, and where in the kernel it waits.

    Args:
        session: The id of the session.
        proc: Where the kernel tells about processes.
    """
    found: list[str] = []
    for folder in sorted(proc.glob("[0-9]*"), key=lambda path: int(path.name)):
        try:
            text = (folder / "stat").read_text(errors="replace")
        except OSError:
            continue  # it ended meanwhile
        # The name stands in parentheses and may hold anything.
        name, after = text[text.find("(") + 1 : text.rfind(")")], text[text.rfind(")") + 1 :]
        fields = after.split()
        if len(fields) > 3 and fields[3] == str(session):
            waits = ""
            with contextlib.suppress(OSError):
                waits = (folder / "wchan").read_text(errors="replace").strip("0\n")
            place = f" in {waits}" if waits else ""
            found.append(f"{name} (pid {folder.name}) {fields[0]}{place}")
    return found[:20]


def _end_session(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_GRACE_SECONDS)
    # A process in an uninterruptible state (D) outlives even that; the result says so.


def _tail(output: Any) -> list[str]:
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - 16 * _TAIL_CHARACTERS))
    lines = output.read().decode("utf-8", "replace").replace("\r", "\n").split("\n")
    last = [line.rstrip()[:300] for line in lines if line.strip()][-_TAIL_LINES:]
    while len(last) > 1 and sum(map(len, last)) > _TAIL_CHARACTERS:
        del last[0]
    return last
