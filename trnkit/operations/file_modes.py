"""Permissions of what is written first under a temporary name, which only its owner may read."""

from __future__ import annotations

import os

_FILE = 0o666
_FOLDER = 0o777


def ordinary_mode(*, folder: bool = False) -> int:
    """The permissions a file or folder of this process would get if it were made plainly."""
    mask = os.umask(0o077)
    os.umask(mask)
    return (_FOLDER if folder else _FILE) & ~mask
