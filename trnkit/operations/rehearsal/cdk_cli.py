"""The unmodified CDK command line, sent to the emulated AWS and to nothing else."""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trnkit.emulation.process import EmulationError
from trnkit.emulation.undisturbed import undisturbed
from trnkit.errors import TrnkitError
from trnkit.toolchain import ToolchainError, use_bundled_node

if TYPE_CHECKING:
    from trnkit.emulation.process import EmulatedAws

LONGEST_RUN_SECONDS = 600.0
"""After this a command is ended: against the emulated AWS it takes seconds."""

_GLANCE_SECONDS = 0.2
_GRACE_SECONDS = 2.0


class CdkHungError(TrnkitError):
    """A command did not come to its end, and was ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A command that was run.

    Attributes:
        arguments: What `cdk` was given, without what every command gets.
        exit_code: Its exit code.
        seconds: How long it took.
        output: What it wrote, standard output and error together.
    """

    arguments: tuple[str, ...]
    exit_code: int
    seconds: float
    output: str

    @property
    def succeeded(self) -> bool:
        """Whether it ended with exit code 0."""
        return self.exit_code == 0

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why resources failed, as the stack events say it, each once."""
        found = [match["reason"].strip() for match in _FAILED.finditer(self.output)]
        return tuple(dict.fromkeys(reason for reason in found if reason))


_EVENT = re.compile(
    r"^(?P<stack>\S+) \|\s*(?P<done>\d+)(/(?P<of>\d+))? \| [^|]+\| (?P<status>[A-Z_]+)\s*"
    r"\| (?P<type>\S+)\s*\| (?P<id>.*)$"
)
_FAILED = re.compile(r"^\S+ \|[^\n]*\| \w+_FAILED\s*\| \S+\s*\| (?P<reason>[^\n]+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A resource event as the command line shows it.

    Attributes:
        stack: The stack's name.
        status: Such as ``CREATE_COMPLETE``.
        type: The resource type.
        resource: The resource's path or logical id, with a reason behind it where there is one.
        done: How many resources of the stack are done.
        of: How many it has, None when the command line does not know.
    """

    stack: str
    status: str
    type: str
    resource: str
    done: int
    of: int | None


def cdk_program(environ: dict[str, str]) -> str:
    """The CDK command line: this environment's own, else the one on PATH.

    Raises:
        ToolchainError: There is none.
    """
    own = Path(sys.executable).parent / "cdk"
    if os.access(own, os.X_OK):
        return str(own)
    found = shutil.which("cdk", path=environ.get("PATH", ""))
    if found is None:
        raise ToolchainError(
            "No CDK command line to rehearse with: run `make setup` in a checkout, or "
            "`npm install --global aws-cdk`."
        )
    return found


class CdkCli:
    """Runs `cdk` with an environment that holds nothing of the user's."""

    def __init__(
        self, aws: EmulatedAws, environ: dict[str, str], on_event: Callable[[Event], None]
    ) -> None:
        """Prepare the environment.

        Args:
            aws: Where it shall talk to.
            environ: The environment of this process; only PATH and the locale are taken from it.
            on_event: Told each resource event of a stack when it comes.

        Raises:
            ToolchainError: There is no CDK command line or no Node.js.
        """
        self._aws = aws
        self._program = cdk_program(environ)
        self._on_event = on_event
        kept = {k: environ[k] for k in ("LANG", "LC_ALL", "PATH", "SYSTEMROOT") if k in environ}
        self._environment = {
            **kept,
            "CDK_DISABLE_CLI_TELEMETRY": "1",
            "CDK_DISABLE_VERSION_CHECK": "1",
            "CI": "1",
            "HOME": str(aws.folder),
            "NO_COLOR": "1",
            "TMPDIR": str(aws.folder),
        }
        use_bundled_node(self._environment)

    def run(self, region: str, *arguments: str) -> Ran:
        """Run one command.

        Args:
            region: The region of commands that need one.
            arguments: The command and its arguments.

        Raises:
            CdkHungError: It did not end.
            EmulationError: The emulated AWS died meanwhile.
        """
        began = time.monotonic()
        command = [self._program, *arguments, "--no-notices", "--no-color"]
        environment = {**self._environment, **self._aws.variables(region)}
        with self._running(command, environment) as process:
            heard = _Heard(process, self._on_event)
            for _ in heard.glances():
                self._judge(arguments, heard, began)
        return Ran(
            arguments=arguments,
            exit_code=process.returncode,
            seconds=time.monotonic() - began,
            output="\n".join(heard.lines),
        )

    @contextlib.contextmanager
    def _running(
        self, command: list[str], environment: dict[str, str]
    ) -> Generator[subprocess.Popen[bytes]]:
        process: subprocess.Popen[bytes] | None = None
        try:
            with undisturbed():
                process = subprocess.Popen(
                    command,
                    cwd=self._aws.folder,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
                self._aws.guard(process.pid)
            yield process
        finally:
            with undisturbed():
                if process is not None:
                    _end(process)
                    self._aws.release(process.pid)

    def _judge(self, arguments: tuple[str, ...], heard: _Heard, began: float) -> None:
        """Whether it is still worth waiting for a command."""
        command = f"cdk {arguments[0]}"
        if not self._aws.alive:
            raise EmulationError(self._aws.trouble(command))
        if time.monotonic() - began > LONGEST_RUN_SECONDS:
            last = next((line for line in reversed(heard.lines) if line.strip()), "nothing")
            raise CdkHungError(
                f"{command} did not end within {LONGEST_RUN_SECONDS:.0f} s and was ended; "
                f"the last it said: {last.strip()[:200]}"
            )


class _Heard:
    """What a command says, line by line, while it runs."""

    def __init__(self, process: subprocess.Popen[bytes], on_event: Callable[[Event], None]) -> None:
        self._process = process
        self._on_event = on_event
        self._rest = b""
        self.lines: list[str] = []

    def glances(self) -> Generator[None]:
        """Listen until the command has ended; comes back often, also when it says nothing."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        open_still = True
        while open_still or self._process.poll() is None:
            if open_still:
                ready, _, _ = select.select([descriptor], [], [], _GLANCE_SECONDS)
                # Somebody it started may hold its output although it has ended itself.
                open_still = self._hear(descriptor) if ready else self._process.poll() is None
            else:
                time.sleep(_GLANCE_SECONDS / 10)
            yield
        if self._rest:
            self._line(self._rest)

    def _hear(self, descriptor: int) -> bool:
        part = os.read(descriptor, 65_536)
        *whole, self._rest = (self._rest + part).split(b"\n")
        for line in whole:
            self._line(line)
        return bool(part)

    def _line(self, line: bytes) -> None:
        self.lines.append(line.decode("utf-8", "replace").rstrip("\r"))
        match = _EVENT.match(self.lines[-1].strip())
        if match is not None:
            self._on_event(
                Event(
                    stack=match["stack"],
                    status=match["status"],
                    type=match["type"],
                    resource=match["id"].strip(),
                    done=int(match["done"]),
                    of=int(match["of"]) if match["of"] else None,
                )
            )


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command, where it has not ended, and whatever it started."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_SECONDS)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()
