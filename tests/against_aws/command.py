"""The command line as a process, with an environment that knows the test's AWS and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.synthesis import ROOT

if TYPE_CHECKING:
    from pathlib import Path

ACCESS_KEY = "AKIAI44QH8DHBEXAMPLE"
SECRET = "je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY"
TOKEN = "FwoGZXIvYXdzEXAMPLETOKENthatNobodyMaySee"
SECRETS = (ACCESS_KEY, SECRET, TOKEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a command ended, and when, as `time.monotonic` counts."""

    code: int
    stdout: str
    stderr: str
    seconds: float
    ended: float

    def json(self) -> dict[str, Any]:
        """Standard output, which must be one JSON object and nothing else."""
        told = json.loads(self.stdout)
        assert isinstance(told, dict)
        return told

    def checks(self) -> dict[str, str]:
        """Statuses of a preflight, by check."""
        return {check["name"]: check["status"] for check in self.json()["checks"]}

    def results(self, check: str) -> list[dict[str, Any]]:
        """Results of one check of a preflight."""
        (found,) = (one for one in self.json()["checks"] if one["name"] == check)
        return found["results"]


class CommandLine:
    """Runs `python -m trnkit.cli.main` in the project's folder."""

    def __init__(
        self, endpoint: str, home: Path, access_key: str = ACCESS_KEY, **changes: str | None
    ) -> None:
        """Keep the environment: an endpoint, keys, and a home without AWS's files.

        Args:
            endpoint: Of the AWS to ask.
            home: An empty folder.
            access_key: By which the AWS knows who asks.
            changes: Variables that are otherwise, or, with None, not there.
        """
        given = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        self._environment = given | {
            "AWS_ACCESS_KEY_ID": access_key,
            "AWS_CONFIG_FILE": str(home / "config"),
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_SESSION_TOKEN": TOKEN,
            "AWS_SHARED_CREDENTIALS_FILE": str(home / "credentials"),
            "HOME": str(home),
            "NO_PROXY": "127.0.0.1",
            "PYTHONPATH": str(ROOT),
            "no_proxy": "127.0.0.1",
        }
        self._environment |= {name: text for name, text in changes.items() if text is not None}
        for name in [name for name, text in changes.items() if text is None]:
            self._environment.pop(name, None)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start it; whoever starts it ends it."""
        return subprocess.Popen(
            [sys.executable, "-m", "trnkit.cli.main", *arguments],
            cwd=ROOT,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *arguments: str) -> Outcome:
        """Run it to its end, which comes within two minutes."""
        begin = time.monotonic()
        with self.start(*arguments) as process:
            try:
                stdout, stderr = process.communicate(timeout=120)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return Outcome(
            code=process.returncode,
            stdout=stdout,
            stderr=stderr,
            seconds=(ended := time.monotonic()) - begin,
            ended=ended,
        )
