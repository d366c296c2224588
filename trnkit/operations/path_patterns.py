"""Patterns such as `stacks/**/*.yaml` that the shell did not expand: quoted, or on a build server.

A name that exists is that file, whatever characters it has.
"""

from __future__ import annotations

import os

from trnkit.config.yaml_reader import unreadable

_MAGIC = frozenset("*?[")


def expand_pattern(argument: str) -> tuple[str, ...] | None:
    """The paths that a pattern matches, in a stable order.

    Hidden files and folders only match a pattern that names their dot, as in a shell.

    Returns:
        None for what is no pattern, or is the name of something that is there.

    Raises:
        UnreadableInputError: The pattern matches nothing.
    """
    if not _MAGIC.intersection(argument) or os.path.lexists(argument.replace("\0", "")):
        return None
    # Imported here because a check of one file does without it.
    from glob import glob

    names = tuple(sorted(glob(argument, recursive=True)))  # noqa: PTH207 - keeps names as written
    if not names:
        raise unreadable(argument, "the pattern matches no file", "check the pattern")
    return names
