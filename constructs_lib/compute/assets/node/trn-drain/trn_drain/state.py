"""/run/trnkit/drain.json: whether and until when the node is drained, and what was done."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trn_node_check.files import NotOrdinaryError, TooLargeError, read_bytes, write_whole

if TYPE_CHECKING:
    from collections.abc import Generator

PLACE = "/run/trnkit/drain.json"
_LOCK = "/run/trnkit/drain.lock"
_MOST_BYTES = 1024 * 1024
_PAUSE_SECONDS = 0.1


class StateError(Exception):
    """The state cannot be read or written, or another drain does not end."""


def read_state(root: str) -> dict[str, Any] | None:
    """What the file says; None where nothing is drained.

    Raises:
        StateError: It is there and cannot be read.
    """
    try:
        found = json.loads(read_bytes(Path(root + PLACE), _MOST_BYTES))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TooLargeError, NotOrdinaryError, RecursionError) as error:
        raise StateError(f"{PLACE} cannot be read: {error or type(error).__name__}") from error
    if not isinstance(found, dict) or not isinstance(found.get("steps"), list):
        raise StateError(f"{PLACE} is not what trn-drain writes")
    return found


def write_state(root: str, state: dict[str, Any]) -> None:
    """Write it whole, for everybody to read.

    Raises:
        StateError: It cannot be written.
    """
    try:
        Path(root + PLACE).parent.mkdir(parents=True, exist_ok=True)
        write_whole(root + PLACE, json.dumps(state, indent=1) + "\n")
    except (OSError, NotOrdinaryError) as error:
        raise StateError(f"{PLACE} cannot be written: {error or type(error).__name__}") from error


def remove_state(root: str) -> None:
    """Say that nothing is drained."""
    with contextlib.suppress(FileNotFoundError):
        Path(root + PLACE).unlink()


@contextlib.contextmanager
def only_one(root: str, until: float) -> Generator[None, None, None]:
    """Let one drain run at a time; another waits.

    Args:
        root: What stands for `/`.
        until: When waiting is given up, by the monotonic clock.

    Raises:
        StateError: The other does not end, or there is no lock to be had.
    """
    path = Path(root + _LOCK)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        held = os.open(path, flags, 0o600)
    except OSError as error:
        raise StateError(f"{_LOCK} cannot be opened: {error.strerror}") from error
    try:
        while True:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise StateError("another drain of this node does not end") from None
                time.sleep(_PAUSE_SECONDS)
        yield
    finally:
        os.close(held)
