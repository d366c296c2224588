"""The process of the emulated AWS, from the outside: start, address, end."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import select
import shutil
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
from trnkit.errors import TrnkitError

START_SECONDS = 30.0
"""How long a start may take; on two cores it takes about one second."""

INVENTORY_PATH = "/_trnkit/stacks"
"""Where it gives its inventory."""

SPEND_PATH = "/_trnkit/spend"
"""Where it takes spend for a budget."""

LONGEST_LOG = 4_000
"""Characters of the server's own messages that an error shows."""


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
        finally:
            connection.close()
        if answer.status != 200:
            raise EmulationError(text.decode("utf-8", "replace")[:500])
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
        }

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

    It listens on a free port of 127.0.0.1 and ends with the block, and also when this process dies
    in any way, because it watches the pipe that is its standard input.

    Args:
        account: The account id that it answers with.
        seeds: What exists in it from the start, see `trnkit.emulation.server.seeding`.
        folder: Where its temporary folder is made. Default: where temporary files go.

    Yields:
        The running emulated AWS.

    Raises:
        EmulationError: It did not start.
    """
    home = Path(tempfile.mkdtemp(prefix="trnkit-rehearsal-", dir=folder))
    try:
        process = _started(account, seeds, home)
        try:
            port = _port(process, home)
            yield EmulatedAws(f"http://127.0.0.1:{port}", account, home, process)
        finally:
            _end(process)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _started(
    account: str, seeds: Sequence[Mapping[str, Any]], home: Path
) -> subprocess.Popen[bytes]:
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
    kept = ("LANG", "LC_ALL", "PATH", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "SYSTEMROOT")
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
        said = (home / "server.log").read_text(encoding="utf-8", errors="replace").strip()
        reason = said.splitlines()[-1][:500] if said else "it said nothing"
        message = f"the emulated AWS did not start: {reason}"
        raise EmulationError(message) from None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and whatever it started (Lambda functions run in its group)."""
    import signal

    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=3)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
