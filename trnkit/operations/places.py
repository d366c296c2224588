"""What stands at a path that the user named: asked once, before anything is read or written.

Every way in which a path can be no place (too long, a loop of links, a NUL in it) ends in the one
error that means exit code 2.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from trnkit.config.yaml_reader import unreadable
from trnkit.errors import UnreadableInputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

STANDARD_INPUT = "-"
SHOWN_INPUT = "<stdin>"

NAME_SHOWN = 40
"""A temporary name shows so much of the final one, which may be as long as names can be."""

OTHER_PLACE: Final = "device, pipe or socket"
Place = Literal["nothing", "file", "folder", "device, pipe or socket"]


_DEVICES = ("/dev", "/proc")
_MEMORY = "/dev/shm"  # noqa: S108 - files as on disk
_MOST_LINKS = 40


def place_at(path: str | os.PathLike[str], shown: str) -> Place:
    """What stands at a path; symbolic links are followed.

    Args:
        path: Where to look.
        shown: The path as the user wrote it, for messages.

    Raises:
        UnreadableInputError: The path cannot be one, or may not be looked at.
    """
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - Path would normalize what the user wrote
    except FileNotFoundError:
        return "nothing"
    except (OSError, ValueError) as error:
        raise no_place(error, shown) from None
    if stat.S_ISDIR(mode):
        return "folder"
    return "file" if stat.S_ISREG(mode) else OTHER_PLACE


def real_path(path: str, shown: str | None = None) -> Path:
    """The path without symbolic links.

    Args:
        path: The path.
        shown: How messages name it; the path itself when left out.

    Raises:
        UnreadableInputError: It cannot be a path.
    """
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise no_place(error, shown or path) from None


def place_to_write(path: str) -> Path:
    """Where a file that is named so is written: the path without symbolic links.

    A descriptor, as `/dev/stdin` is, leads to the file behind a redirection, which was opened for
    something else than to be replaced.

    Args:
        path: The path as the user wrote it.

    Raises:
        UnreadableInputError: It cannot be a path, or leads through /dev or /proc.
    """
    place = real_path(path)
    try:
        through = _leads_through_a_device(path)
    except OSError as error:
        raise no_place(error, path) from None
    if through:
        raise unreadable(path, "no file is written through /dev or /proc", "name a file on disk")
    return place


def _leads_through_a_device(path: str) -> bool:
    """Whether a path, or a symbolic link on the way, is in a folder of devices or processes."""
    waiting = Path(os.path.abspath(path))  # noqa: PTH100 - Path.absolute() keeps `..`
    for _ in range(_MOST_LINKS):
        if any(map(waiting.is_relative_to, _DEVICES)):
            return not waiting.is_relative_to(_MEMORY)
        ways = (waiting, *waiting.parents)
        link = next((way for way in reversed(ways) if way.is_symlink()), None)
        if link is None:
            return False
        target = link.parent / link.readlink() / waiting.relative_to(link)
        waiting = Path(os.path.abspath(target))  # noqa: PTH100
    return False  # A loop, which whoever writes finds.


def no_place(error: Exception, shown: str) -> UnreadableInputError:
    """The error for a path that the system refuses: its reason, in its own words."""
    reason = getattr(error, "strerror", None) or str(error)
    return unreadable(shown, f"cannot be used: {reason}", "check path and permissions")


def refuse_empty(names: Iterable[str], what: str) -> None:
    """An empty name is most often a variable that was not set.

    Args:
        names: Paths as the user wrote them.
        what: What they name, in words.

    Raises:
        UsageError: One of them is empty.
    """
    if not all(names):
        raise UsageError(f"an empty name is no {what}: is a variable in the command unset?")
