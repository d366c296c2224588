"""Patterns such as `stacks/**/*.yaml` that the shell did not expand: quoted, or on a build server.

A name that exists is that file, whatever characters it has.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from trnkit.config.yaml_reader import unreadable

_MAGIC = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class NamedPaths:
    """What one argument names.

    Attributes:
        argument: As the user wrote it.
        names: The paths; the argument itself unless it was a pattern.
        is_pattern: Whether it was one.
    """

    argument: str
    names: tuple[str, ...]
    is_pattern: bool = False


def expand_pattern(argument: str) -> NamedPaths:
    """The paths that an argument names: a pattern is expanded in a stable order.

    Hidden files and folders only match a pattern that names their dot, as in a shell.

    Raises:
        UnreadableInputError: The pattern matches nothing.
    """
    if not _MAGIC.intersection(argument) or os.path.lexists(argument.replace("\0", "")):
        return NamedPaths(argument, (argument,))
    # Imported here because a check of one file does without it.
    from glob import glob

    names = tuple(sorted(glob(argument, recursive=True)))  # noqa: PTH207 - keeps names as written
    if not names:
        raise unreadable(argument, "the pattern matches no file", "check the pattern")
    return NamedPaths(argument, names, is_pattern=True)
