"""Versions of what EC2 Image Builder never changes: made from the content, so that they follow it.

A component or a recipe cannot be changed, only followed by another version, and CloudFormation
makes the new one before it removes the old: with the same name and version that fails ("already
exists"). A version that somebody has to count up is forgotten. So it is a digest of everything that
would make a new resource: the same content has the same version everywhere, other content another.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

_MAJOR = 1
_BITS = 30
"""Image Builder takes numbers up to 2^30 - 1."""


def content_version(content: Any) -> str:
    """The semantic version of some content.

    Newer content has no higher version: only that versions differ counts, and everything here
    refers to a whole version, never to `x.x.x`.

    Args:
        content: Plain values, as JSON has them, with nothing in them that the CDK fills in later.

    Returns:
        For example `1.805306368.2`.
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    minor = number >> (64 - _BITS)
    patch = (number >> (64 - 2 * _BITS)) & (2**_BITS - 1)
    return f"{_MAJOR}.{minor}.{patch}"
