"""Keeps credentials out of what is said: no message, report or file may hold them.

The second net. The first is that nothing which can hold them is passed on at all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHOWN = "(hidden)"
# Keys and tokens have 16 characters and more; shorter ones are words of a test.
_SHORTEST = 16
_VALUES: set[str] = set()

# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-authentication-methods.html
_SHAPES = (
    # What Python's HTTP client says of a header that it does not send.
    re.compile(r"(?is)(?<=invalid header )(?:value|name) .*"),
    re.compile(
        r"(?i)(?<=authorization)[\"']?\s*[:=]\s*[\"']?(?:(?:basic|bearer|AWS4-\S+)\s+)?[^\s,;\"']+"
    ),
    re.compile(
        r"(?i)(?<![a-z])(?:x-amz-)?(?:signature|credential|security-token)[\"']?\s*[=:]\s*[\"']?"
        r"[^\s,;&\"'<>)]{8,}"
    ),
    re.compile(r"(?<![A-Z0-9])A[KS]IA[A-Z0-9]{12,}"),
    re.compile(r"(?<=://)[^/\s@]+@"),
)


def hide(values: Iterable[str | None]) -> None:
    """Let no text that goes through `without_secrets` hold these, from now on.

    Args:
        values: Keys and tokens; what stands between blanks in one counts for itself.
    """
    parts = (part for value in values if value for part in re.split(r"[\s\x00-\x1f\x7f]+", value))
    _VALUES.update(part for part in parts if len(part) >= _SHORTEST)


def without_secrets(text: str) -> str:
    """A text without the credentials in use, and without what is shaped like some.

    Args:
        text: The whole text: what was cut before can hold a part of a key.
    """
    for value in sorted(_VALUES, key=len, reverse=True):
        text = text.replace(value, _SHOWN)
    for shape in _SHAPES:
        text = shape.sub(_SHOWN, text)
    return text
