"""Runs another program so that nothing it does can hurt: it may hang, flood or leave children."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from typing import IO, Literal, NamedTuple

MOST_OUTPUT_BYTES = 1024 * 1024
"""What most tools may write."""
LARGE_OUTPUT_BYTES = 8 * 1024 * 1024
"""A kernel log, or neuron-ls with the command lines of many processes."""
FAIR_SECONDS = 0.5
_CHUNK = 65536


class Answer(NamedTuple):
    """What came of running a program.

    Attributes:
        program: Its name, for messages.
        ending: `ended` by itself; `missing`; `refused`, could not be started; `hung`; `late`, was
            given too little time to say it hung; `flooded`, wrote more than anybody reads.
        code: Its exit code when it ended.
        output: Its standard output as text.
        errors: Its standard error, or why it could not be started.
        seconds: How long it was given.
        most: How many bytes it might write.
    """

    program: str
    ending: Literal["ended", "missing", "refused", "hung", "late", "flooded"]
    code: int = 0
    output: str = ""
    errors: str = ""
    seconds: float = 0.0
    most: int = MOST_OUTPUT_BYTES

    @property
    def good(self) -> bool:
        """Whether it ended by itself and said so."""
        return self.ending == "ended" and self.code == 0

    @property
    def trouble(self) -> str:
        """What went wrong, in words; empty when nothing did."""
        if self.good:
            return ""
        if self.ending == "ended":
            lines = (self.errors.strip() or self.output.strip()).splitlines()
            said = f": {lines[-1].strip()[:160]}" if lines else ""
            return f"{self.program} ended with {self.code}{said}"
        return {
            "missing": f"{self.program} is not installed",
            "refused": f"{self.program} could not be started: {self.errors}",
            "late": f"no time was left for {self.program}",
            "hung": f"{self.program} did not answer within {self.seconds:.1f} s",
            "flooded": f"{self.program} wrote more than {self.most // 1024**2} MiB",
        }[self.ending]


def run_process(
    command: list[str],
    *,
    name: str,
    environment: dict[str, str],
    seconds: float,
    most: int = MOST_OUTPUT_BYTES,
) -> Answer:
    """Run a program in a session of its own and read what it writes.

    Args:
        command: The program's path and its arguments.
        name: What messages call it.
        environment: Its whole environment.
        seconds: How long it may take. After that it and all its children are killed; one that the
            kernel does not let go of, as on a dead file server, is left behind and not waited for.
        most: How many bytes it may write before it is killed.
    """
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd="/",
            start_new_session=True,
        )
    except OSError as error:
        return Answer(name, "refused", errors=error.strerror or str(error))
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        ending, output, errors = _read(process, process.stdout, process.stderr, seconds, most)
    finally:
        _end(process)
    return Answer(
        name,
        ending,
        process.returncode if ending == "ended" else 0,
        output.decode("utf-8", "replace"),
        errors.decode("utf-8", "replace"),
        seconds,
        most,
    )


def _read(
    process: subprocess.Popen[bytes], out: IO[bytes], err: IO[bytes], seconds: float, most: int
) -> tuple[Literal["ended", "hung", "late", "flooded"], bytearray, bytearray]:
    until = time.monotonic() + seconds
    texts = {out.fileno(): bytearray(), err.fileno(): bytearray()}
    with selectors.DefaultSelector() as selector:
        for descriptor in texts:
            os.set_blocking(descriptor, False)
            selector.register(descriptor, selectors.EVENT_READ)
        while True:
            ended = process.poll() is not None
            left = until - time.monotonic()
            # One that has ended may have left children who hold the pipes open.
            ready = selector.select(0 if ended else max(0.0, min(left, 0.05)))
            for key, _ in ready:
                chunk = os.read(key.fd, _CHUNK)
                texts[key.fd] += chunk
                if not chunk:
                    selector.unregister(key.fd)
            output, errors = texts.values()
            if len(output) + len(errors) > most:
                return "flooded", output, errors
            if ended and not ready:
                return "ended", output, errors
            if left <= 0:
                return "hung" if seconds >= FAIR_SECONDS else "late", output, errors
            if not selector.get_map() and not ended:
                _wait(process, min(left, 0.05))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of it, children too: they are in its session."""
    # Nothing may be left, or it has become another user's.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    _wait(process, 0.2)
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return
