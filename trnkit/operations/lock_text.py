"""A lock of images as text: sorted, one fact a line, the same bytes for the same content."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trnkit.config import ImageLock

_HEADER = """\
# The machine images of cluster files, as AWS had them on the day `resolved`.
# Written by `trnkit images refresh FILE`, which shows what it changes. Commit this file.
"""
# What no reader of YAML takes for anything but text.
_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9_./-]*(:[A-Za-z0-9_.-]+)?")
_NOT_TEXT = {"true", "false", "yes", "no", "on", "off", "y", "n", "null"}


def lock_text(lock: ImageLock) -> str:
    """The file of a lock.

    Args:
        lock: What it says, in any order.
    """
    lines = [f"{_HEADER}version: {lock.version}"]
    images = sorted(lock.images, key=lambda image: (image.ssm_parameter, image.region))
    lines.append("images:" if images else "images: []")
    for image in images:
        facts = image.model_dump(exclude_none=True)
        written = [f"{key}: {_value(value)}" for key, value in facts.items()]
        lines.append("  - " + "\n    ".join(written))
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, int):
        return str(value)
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_value, value))}]"
    plain = _PLAIN.fullmatch(value) and value.lower() not in _NOT_TEXT
    # A JSON string is a YAML string; what is beyond ASCII stays readable.
    return value if plain else json.dumps(value, ensure_ascii=False)
