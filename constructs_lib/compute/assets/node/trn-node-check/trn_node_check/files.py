"""Opens, reads and writes files so that nothing of what stands at a path can hurt.

A pipe never answers, a device is no place for a report, and a file may be longer than anybody
reads. A dead file system blocks even here; `watchdog.py` is for that.
"""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

KIB = 1024
_NAME_SHOWN = 100


class TooLargeError(Exception):
    """The file is longer than what is read of it."""


class NotOrdinaryError(Exception):
    """A pipe, a device, a socket, a link or a folder stands where a file is wanted."""


def read_bytes(path: Path, most: int, *, tail: bool = False) -> bytes:
    """Read an ordinary file.

    Args:
        path: Where it is; links are followed.
        most: How many bytes are read.
        tail: Whether the end of a longer one will do.

    Raises:
        TooLargeError: It is longer than `most`, and its end will not do.
        NotOrdinaryError: It is a pipe, a device or a socket.
        OSError: It cannot be read; `IsADirectoryError` for a folder.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb", closefd=True) as stream:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            raise NotOrdinaryError
        # Files of /proc and /sys say 0, and cannot be sought from their end.
        if tail and state.st_size > most:
            stream.seek(state.st_size - most)
        found = stream.read(most if tail else most + 1)
    if len(found) > most:
        raise TooLargeError
    return found


def write_whole(place: str, text: str) -> None:
    """Write a file so that whoever reads it finds the old or the new one, never a part.

    Raises:
        NotOrdinaryError: Something else than an ordinary file has that name.
        OSError: It cannot be written; nothing is left behind.
    """
    path = Path(place).absolute()
    # The new file takes the name, which no pipe, device or link survives.
    if os.path.basename(place) in ("", ".", ".."):  # noqa: PTH119
        raise NotOrdinaryError
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
        raise NotOrdinaryError
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:_NAME_SHOWN]}.", dir=path.parent)
    new = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        new.chmod(0o644)
        new.replace(path)
    except OSError:
        new.unlink()
        raise
