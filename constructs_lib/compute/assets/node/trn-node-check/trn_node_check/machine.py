"""The machine as the checks see it: files, folders and tools, all below one root for tests."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from .files import KIB, NotOrdinaryError, TooLargeError, read_bytes
from .process import MOST_OUTPUT_BYTES, Answer, run_process

TOOL_FOLDERS = ("/opt/aws/neuron/bin", "/opt/amazon/efa/bin")
"""Searched before PATH; a service or an ssh command has neither on it."""
SYSTEM_FOLDERS = ("/usr/sbin", "/usr/bin", "/sbin", "/bin")
"""Searched after PATH: lctl and chronyc are in sbin, which other users lack."""
MOST_FILE_BYTES = 4 * KIB**2
"""Of a file of /proc or /sys."""
MOST_WRITTEN_BYTES = 64 * KIB
"""Of a file that people write, such as those of /etc/profile.d."""
MOST_LOG_BYTES = 256 * KIB
"""Of a log, from its end."""


class NotReadableError(Exception):
    """A file is there and this user may not read it, or it fails on reading."""


class Machine:
    """Reads files and runs tools.

    Attributes:
        quick: Whether only what a job prolog can afford is wanted.
        environment: This process's environment.
    """

    def __init__(
        self,
        environment: dict[str, str],
        *,
        root: str = "",
        seconds: float = 10.0,
        quick: bool = False,
        until: float | None = None,
    ) -> None:
        """Prepare; nothing is read yet.

        Args:
            environment: This process's environment.
            root: A folder that stands for /.
            seconds: How long a tool may take.
            quick: Whether only what a job prolog can afford is wanted.
            until: `time.monotonic()` at which every tool must have ended; None is never.
        """
        self.environment = environment
        self.quick = quick
        self._root = root.rstrip("/")
        self._seconds = seconds
        self._until = until
        self._guard = threading.Lock()
        self._locks: dict[tuple[str, ...], threading.Lock] = {}
        self._answers: dict[tuple[str, ...], Answer] = {}

    @property
    def is_root(self) -> bool:
        """Whether this runs as root."""
        return os.geteuid() == 0

    def path(self, path: str) -> Path:
        """Where a path of the node is."""
        return Path(self._root + path)

    def text(self, path: str, *, most: int = MOST_FILE_BYTES, tail: bool = False) -> str | None:
        """The text of a file; None when there is none.

        Args:
            path: The file of the node.
            most: How many bytes it may have.
            tail: Whether of a longer one the end will do.

        Raises:
            NotReadableError: It is there and cannot be read.
        """
        try:
            return read_bytes(self.path(path), most, tail=tail).decode("utf-8", "replace")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except NotOrdinaryError as error:
            raise NotReadableError(f"{path} is no ordinary file") from error
        except TooLargeError as error:
            raise NotReadableError(f"{path} has more than {most // KIB} KiB") from error
        except OSError as error:
            raise NotReadableError(f"{path} cannot be read: {error.strerror}") from error

    def names(self, path: str) -> list[str]:
        """What is in a folder, sorted; nothing when there is no such folder.

        Raises:
            NotReadableError: It is there and cannot be read.
        """
        try:
            return sorted(entry.name for entry in self.path(path).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise NotReadableError(f"{path} cannot be read: {error.strerror}") from error

    def exists(self, path: str) -> bool:
        """Whether there is anything at a path of the system; never ask it about a mount."""
        return self.path(path).exists()

    def is_folder(self, path: str) -> bool:
        """Whether a path of the system is a folder, other than by a link."""
        where = self.path(path)
        return where.is_dir() and not where.is_symlink()

    def run(
        self,
        *command: str,
        extra: dict[str, str | None] | None = None,
        most: int = MOST_OUTPUT_BYTES,
    ) -> Answer:
        """Run a tool, once however many checks ask for the same.

        Args:
            command: The tool's name and its arguments.
            extra: Environment variables beside those of this process; None takes one away.
            most: How many bytes it may write.
        """
        key = (*command, *(f"{name}={value}" for name, value in sorted((extra or {}).items())))
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._answers:
                self._answers[key] = self._run(command, extra or {}, most)
            return self._answers[key]

    def run_here(self, name: str, command: list[str]) -> Answer:
        """Run a program given by its path, under the same limits, and call it `name`."""
        environment = {**self.environment, "LC_ALL": "C"}
        return run_process(command, name=name, environment=environment, seconds=self.left())

    def left(self) -> float:
        """Seconds that a tool may take from now on."""
        if self._until is None:
            return self._seconds
        return max(0.01, min(self._seconds, self._until - time.monotonic()))

    def _run(self, command: tuple[str, ...], extra: dict[str, str | None], most: int) -> Answer:
        folders = [
            *(str(self.path(folder)) for folder in TOOL_FOLDERS),
            *self.environment.get("PATH", "").split(os.pathsep),
            *(str(self.path(folder)) for folder in SYSTEM_FOLDERS),
        ]
        search = os.pathsep.join(folder for folder in folders if folder)
        found = _which(command[0], search)
        if found is None:
            return Answer(command[0], "missing")
        changed = {**self.environment, **extra, "PATH": search, "LC_ALL": "C"}
        return run_process(
            [found, *command[1:]],
            name=command[0],
            environment={name: value for name, value in changed.items() if value is not None},
            seconds=self.left(),
            most=most,
        )


def _which(name: str, search: str) -> str | None:
    """The first program of a name; `shutil` would load three compressors to find it."""
    places = (f"{folder}/{name}" for folder in search.split(os.pathsep))
    return next((p for p in places if os.access(p, os.X_OK) and Path(p).is_file()), None)
