"""Reads an input of bounded size: a file on disk, or a pipe that this process was handed.

A pipe with a name, a device and a socket are refused: some never end, some never begin.
"""

from __future__ import annotations

import re
import stat
from pathlib import Path

from trnkit.config.yaml_reader import unreadable

# What `<(...)` and `/dev/stdin` name: a descriptor that is open already, so reading it ends.
_DESCRIPTOR = re.compile(r"/dev/(?:fd/[0-9]+|stdin)|/proc/(?:self|[0-9]+)/fd/[0-9]+")


def read_bytes(path: str, file: str, *, most: int, folder: str, missing: str) -> bytes:
    """Read at most one byte more than allowed, so that the caller sees what is too long.

    Args:
        path: The file.
        file: Its name in messages.
        most: How many bytes are allowed.
        folder: What to do when it is a folder.
        missing: What to do when there is none.

    Raises:
        UnreadableInputError: It cannot be read, or is neither a file nor an open pipe.
    """
    try:
        mode = Path(path).stat().st_mode
        if stat.S_ISDIR(mode):
            raise unreadable(file, "this is a folder", folder)
        if not stat.S_ISREG(mode) and not is_open_pipe(path, mode):
            raise unreadable(file, "this is not a regular file", "name a file on disk")
        with Path(path).open("rb") as stream:
            return stream.read(most + 1)
    except FileNotFoundError:
        raise unreadable(file, "there is no such file", missing) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise unreadable(file, f"cannot be read: {reason}", "check path and permissions") from None


def is_open_pipe(path: str, mode: int) -> bool:
    """Whether a path of this mode is a pipe that the shell opened for this process."""
    return stat.S_ISFIFO(mode) and _DESCRIPTOR.fullmatch(path) is not None
