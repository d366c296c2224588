"""Writes a file whole or not at all: under a temporary name beside it, then renamed."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path

from trnkit.operations.file_modes import ordinary_mode
from trnkit.operations.places import NAME_SHOWN


def write_whole(target: Path, text: str, *, replace: bool, mode: int | None = None) -> None:
    """Write a text file.

    Args:
        target: Where to, without symbolic links.
        text: What.
        replace: Whether a file that is there is replaced.
        mode: Its permissions; ordinary ones when left out.

    Raises:
        FileExistsError: One is there, and is not to be replaced.
        OSError: It cannot be written; nothing is left behind.
    """
    _refuse_other_things(target)
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:NAME_SHOWN]}.", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        if replace:
            _keep_owner(temporary, target)
        temporary.chmod(ordinary_mode() if mode is None else mode)
        if replace:
            temporary.replace(target)
        else:
            _publish(temporary, target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()


def refuse_unwritable(target: Path) -> None:
    """Look whether a file could be written, and write nothing.

    Args:
        target: Where to, without symbolic links.

    Raises:
        OSError: It could not.
    """
    _refuse_other_things(target)
    folder = target.parent
    folder.stat()
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "its folder may not be written to", str(target))


def _refuse_other_things(target: Path) -> None:
    """The new file takes the name, which no pipe, device or loop of links survives."""
    if os.path.lexists(target) and not target.is_file():
        raise OSError(errno.EINVAL, "it is no ordinary file", str(target))


def _keep_owner(new: Path, old: Path) -> None:
    """Give a new file the owner and the group of the old one, as far as this process may."""
    if not hasattr(os, "chown"):  # Windows
        return
    with contextlib.suppress(FileNotFoundError):
        was, made = old.stat(), new.stat()
        if was.st_gid != made.st_gid:
            with contextlib.suppress(PermissionError):
                os.chown(new, -1, was.st_gid)
        if was.st_uid != made.st_uid:
            with contextlib.suppress(PermissionError):
                os.chown(new, was.st_uid, -1)


def _publish(temporary: Path, target: Path) -> None:
    """Give the file its name unless another process took it meanwhile."""
    try:
        target.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        temporary.replace(target)
