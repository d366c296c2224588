"""The process of the emulated AWS, from the outside: start, address, end."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trnkit.emulation.clients import ACCESS_KEY, clients_of
from trnkit.emulation.resources.resource import Clients
from trnkit.emulation.undisturbed import undisturbed
from trnkit.errors import TrnkitError

START_SECONDS = 60.0
"""How long a start may take; on two cores it takes about one second."""

END_SECONDS = 3.0
"""How long it may take to end in its own way."""

INVENTORY_PATH = "/_trnkit/stacks"
"""Where it gives its inventory."""

SPEND_PATH = "/_trnkit/spend"
"""Where it takes spend for a budget."""

LONGEST_LOG = 4_000
"""Characters of the server's own messages that are kept of it."""

LEAST_ROOM = 16 * 1024 * 1024
"""Bytes that its folder must have room for at the start; a usual rehearsal takes a third of it."""

_SHOWN_REASON = 300
_COMPILED_FILES = ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
_OTHER_FOLDER = "free space there, or set TMPDIR to another folder"
_RUN_AGAIN = "run it again; where memory is short, the system ends the largest process"


class EmulationError(TrnkitError):
    """The emulated AWS could not be started or is gone."""


@dataclass(frozen=True)
class EmulatedAws:
    """A running emulated AWS.

    Attributes:
        endpoint: Its URL, on 127.0.0.1.
        account: The account id that it answers with.
        folder: Its temporary folder; also the home of commands that talk to it.
        process: Its process.
    """

    endpoint: str
    account: str
    folder: Path
    process: subprocess.Popen[bytes]

    @property
    def alive(self) -> bool:
        """Whether the process is there."""
        return self.process.poll() is None

    def clients(self, region: str) -> Clients:
        """What gives boto3 clients of a region of it."""
        return clients_of(self.endpoint, region)

    def inventory(self) -> list[dict[str, Any]]:
        """What it holds of every stack, see `trnkit.emulation.server.inventory`."""
        return self._control("GET", INVENTORY_PATH)

    def inject_spend(self, budget: str, actual: float, forecast: float | None) -> None:
        """Let a budget see spend, which AWS takes from the bill.

        Args:
            budget: The budget's name.
            actual: What was spent in the period, in the unit of the budget.
            forecast: What the period is expected to cost; None: no forecast yet.
        """
        spend = {"budget": budget, "actual": actual, "forecast": forecast}
        self._control("POST", SPEND_PATH, spend)

    def _control(self, method: str, path: str, body: Any = None) -> Any:
        host = self.endpoint.removeprefix("http://")
        connection = http.client.HTTPConnection(host, timeout=30)
        try:
            sent = None if body is None else json.dumps(body)
            connection.request(method, path, sent)
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise EmulationError(f"the emulated AWS does not answer: {_reason(error)}") from error
        finally:
            connection.close()
        if answer.status != 200:
            raise EmulationError(text.decode("utf-8", "replace")[:_SHOWN_REASON])
        return json.loads(text)

    def variables(self, region: str) -> dict[str, str]:
        """The environment that makes AWS tools talk to it, and to nothing else."""
        return {
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": ACCESS_KEY,
            "AWS_SESSION_TOKEN": ACCESS_KEY,
            "AWS_CONFIG_FILE": str(self.folder / "aws-config"),
            "AWS_SHARED_CREDENTIALS_FILE": str(self.folder / "aws-credentials"),
            "AWS_DEFAULT_REGION": region,
            "AWS_REGION": region,
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_MAX_ATTEMPTS": "2",
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
        }

    def guard(self, group: int) -> None:
        """Let its process end a group of processes when ours dies and cannot do it itself.

        Args:
            group: The group's id, which is the id of its first process.
        """
        self._say(f"+{group}\n")

    def release(self, group: int) -> None:
        """Take back `guard`, because the group has ended."""
        self._say(f"-{group}\n")

    def _say(self, line: str) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # it is dead: then others say so
            self.process.stdin.write(line.encode())
            self.process.stdin.flush()

    def trouble(self, during: str, patience: float = 0.0) -> str | None:
        """What is wrong with it, in a sentence that says what to do; None: nothing that shows.

        Args:
            during: What was being done.
            patience: Seconds that a process is given to be seen dead, whose connections broke.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(patience)
        if self.alive:
            return unwritable(self.folder)
        said = self.messages().splitlines()
        why = f"; the last it said: {said[-1][:_SHOWN_REASON]}" if said else ""
        end = _end_of(self.process)
        return f"the emulated AWS died during {during} ({end}){why}: {_RUN_AGAIN}"

    def messages(self) -> str:
        """The last that its process said of itself."""
        with contextlib.suppress(OSError):
            text = (self.folder / "server.log").read_text(encoding="utf-8", errors="replace")
            return text[-LONGEST_LOG:].strip()
        return ""


@contextlib.contextmanager
def emulated_aws(
    account: str,
    *,
    seeds: Sequence[Mapping[str, Any]] = (),
    folder: Path | None = None,
) -> Generator[EmulatedAws]:
    """An emulated AWS for the time of a ``with`` block.

    It listens on a free port of 127.0.0.1 and ends with the block. It watches the pipe that is its
    standard input: when this process dies in any way, it ends what `EmulatedAws.guard` named, takes
    its folder away and ends itself.

    Args:
        account: The account id that it answers with.
        seeds: What exists in it from the start, see `trnkit.emulation.server.seeding`.
        folder: Where its temporary folder is made. Default: where temporary files go.

    Yields:
        The running emulated AWS.

    Raises:
        EmulationError: It did not start.
    """
    home: Path | None = None
    process: subprocess.Popen[bytes] | None = None
    try:
        with undisturbed():
            home = _folder(folder)
            process = _started(account, seeds, home)
        port = _port(process, home)
        _reach(port)
        yield EmulatedAws(f"http://127.0.0.1:{port}", account, home, process)
    finally:
        with undisturbed():
            if process is not None:
                _end(process)
            if home is not None:
                shutil.rmtree(home, ignore_errors=True)


def unwritable(folder: Path, room: int = LEAST_ROOM // 4) -> str | None:
    """Why a folder of a rehearsal has no room left, and what to do; None: it has.

    Args:
        folder: The folder.
        room: How many bytes it needs; they are written, because a quota shows in no other way.
    """
    probe = folder / "probe"
    try:
        probe.write_bytes(bytes(room))
    except OSError as error:
        what = f"{folder} has no room for the {room // 1024 // 1024} MiB that a rehearsal may need"
        return f"{what}: {_reason(error)}: {_OTHER_FOLDER}"
    finally:
        with contextlib.suppress(OSError):
            probe.unlink()
    return None


def _folder(place: Path | None) -> Path:
    try:
        return Path(tempfile.mkdtemp(prefix="trnkit-rehearsal-", dir=place))
    except OSError as error:
        what = f"the emulated AWS has no folder for its state: {_reason(error)}"
        raise EmulationError(f"{what}: {_OTHER_FOLDER}") from error


def _started(
    account: str, seeds: Sequence[Mapping[str, Any]], home: Path
) -> subprocess.Popen[bytes]:
    if full := unwritable(home, LEAST_ROOM):
        raise EmulationError(full)
    settings = {"account": account, "folder": str(home), "seeds": list(seeds)}
    settings_file = home / "settings.json"
    settings_file.write_text(json.dumps(settings), encoding="utf-8")
    with (home / "server.log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "trnkit.emulation.server", str(settings_file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=home,
            env=_server_environment(home),
            # Ctrl-C of the terminal comes to us alone; we end it in our own order.
            start_new_session=True,
        )


def _server_environment(home: Path) -> dict[str, str]:
    """Nothing of the user's but what Python needs to find its packages."""
    kept = ("LANG", "LC_ALL", "PATH", "PYTHONPATH", "SYSTEMROOT", *_COMPILED_FILES)
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    root = str(Path(__file__).resolve().parent.parent.parent)
    paths = [root, *filter(None, [environment.get("PYTHONPATH")])]
    return environment | {
        "AWS_EC2_METADATA_DISABLED": "true",
        "HOME": str(home),
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONUTF8": "1",
        "TMPDIR": str(home),
    }


def _port(process: subprocess.Popen[bytes], home: Path) -> int:
    assert process.stdout is not None
    deadline = time.monotonic() + START_SECONDS
    line = b""
    while not line.endswith(b"\n"):
        left = deadline - time.monotonic()
        ready, _, _ = select.select([process.stdout], [], [], max(left, 0))
        part = os.read(process.stdout.fileno(), 4096) if ready else b""
        if not part:
            break
        line += part
    try:
        return int(json.loads(line)["port"])
    except (ValueError, KeyError, TypeError):
        message = f"the emulated AWS did not start: {_why_no_start(process, home)}"
        raise EmulationError(message) from None


def _reach(port: int) -> None:
    """Where the loopback interface is down, a port can be opened and not be reached."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError as error:
        what = f"the emulated AWS cannot be reached on 127.0.0.1: {_reason(error)}"
        raise EmulationError(f"{what}: bring the loopback interface up") from error


def _why_no_start(process: subprocess.Popen[bytes], home: Path) -> str:
    if full := unwritable(home):
        return full
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(END_SECONDS)
    if process.returncode is None:
        return f"it was not ready after {START_SECONDS:.0f} s: is this machine very busy?"
    said = (home / "server.log").read_text(encoding="utf-8", errors="replace").strip()
    if said:
        return said.splitlines()[-1][:_SHOWN_REASON]
    return f"{_end_of(process)}: {_RUN_AGAIN}"


def _end_of(process: subprocess.Popen[bytes]) -> str:
    code = process.returncode
    if code < 0:
        with contextlib.suppress(ValueError):
            return signal.Signals(-code).name
    return f"exit code {code}"


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and whatever it started (Lambda functions run in its group)."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(END_SECONDS)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
