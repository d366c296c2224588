"""Patterns such as `stacks/**/*.yaml` that the shell did not expand: quoted, or on a build server.

A name that exists is that file, whatever characters it has.
"""

from __future__ import annotations

import os
from pathlib import Path

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
    names = tuple(sorted(_recursive(argument) if "**" in _parts(argument) else _plain(argument)))
    if not names:
        raise unreadable(argument, "the pattern matches no file", "check the pattern")
    return names


def _parts(pattern: str) -> list[str]:
    return pattern.split("/")


def _plain(pattern: str) -> list[str]:
    # Imported here because a check of one file does without it.
    from glob import glob

    return glob(pattern)  # noqa: PTH207 - keeps names as written


def _recursive(pattern: str) -> list[str]:
    """What `**` matches, without the folders that links lead to: two links may lead in circles."""
    parts = _parts(pattern)
    first = next(i for i, part in enumerate(parts) if _MAGIC.intersection(part))
    above = "".join(f"{part}/" for part in parts[:first])
    rest = "/".join(parts[first:])
    hidden = any(part.startswith(".") for part in parts[first:])
    base = Path(above or ".")
    found = [path.relative_to(base) for path in base.glob(rest)]
    return [
        f"{above}{path}"
        for path in found
        if hidden or not any(part.startswith(".") for part in path.parts)
    ]
