"""Numbers in answers of AWS: every one is read here before anybody calculates with it."""

from __future__ import annotations

import math
import re

# Narrower than Python, which also takes `1_000`, ` 1 `, `nan` and digits of other scripts.
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def told_number(told: object) -> float | None:
    """A number that is none below zero, as AWS tells it.

    Args:
        told: A member of an answer: a number, or its decimal notation.

    Returns:
        None when it is no number, no finite one, or below zero.
    """
    if isinstance(told, bool) or not isinstance(told, (int, float, str)):
        return None
    if isinstance(told, str) and not _DECIMAL.fullmatch(told):
        return None
    try:
        number = float(told)
    except OverflowError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
