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
_CANCEL_LOCK = "/run/trnkit/drain-cancel.lock"
_MOST_BYTES = 1024 * 1024
_PAUSE_SECONDS = 0.1


class StateError(Exception):
    """The state cannot be read or written, or another drain does not end."""


class NoLockError(StateError):
    """There is no lock to be had: the file system is read-only or full."""


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
    if not isinstance(found, dict) or not _is_ours(found):
        raise StateError(f"{PLACE} is not what trn-drain writes")
    return found


def _is_ours(found: dict[str, Any]) -> bool:
    steps = found.get("steps")
    return (
        isinstance(found.get("attempt"), int)
        and isinstance(steps, list)
        and all(isinstance(step, dict) and {"step", "status"} <= step.keys() for step in steps)
    )


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
    """Say that nothing is drained.

    Raises:
        StateError: It cannot be removed.
    """
    try:
        with contextlib.suppress(FileNotFoundError):
            Path(root + PLACE).unlink()
    except OSError as error:
        raise StateError(f"{PLACE} cannot be removed: {error.strerror}") from error


@contextlib.contextmanager
def only_one(root: str, until: float) -> Generator[None, None, None]:
    """Let one drain run at a time; another waits.

    Args:
        root: What stands for `/`.
        until: When waiting is given up, by the monotonic clock.

    Raises:
        StateError: The other does not end.
        NoLockError: There is no lock to be had.
    """
    with _locked(root, _LOCK, until):
        yield


@contextlib.contextmanager
def called_off_by(root: str, until: float) -> Generator[None, None, None]:
    """Ask a drain that runs to stop after its present step, for as long as this is held.

    It is a lock and no file, so that what dies while it asks keeps no later drain from its work.

    Args:
        root: What stands for `/`.
        until: When waiting for another one that asks is given up, by the monotonic clock.

    Raises:
        StateError: The other does not end, or there is no lock to be had.
    """
    with _locked(root, _CANCEL_LOCK, until):
        yield


def is_called_off(root: str) -> bool:
    """Whether somebody asks the drain that runs to stop."""
    try:
        held = _open_lock(root, _CANCEL_LOCK)
    except NoLockError:
        return False  # Then nobody else has it either.
    try:
        fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(held)
    return False


def _open_lock(root: str, name: str) -> int:
    path = Path(root + name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(path, flags, 0o600)
    except OSError as error:
        raise NoLockError(f"{name} cannot be opened: {error.strerror}") from error


@contextlib.contextmanager
def _locked(root: str, name: str, until: float) -> Generator[None, None, None]:
    held = _open_lock(root, name)
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
