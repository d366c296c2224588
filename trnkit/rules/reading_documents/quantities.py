"""Kubernetes' resource quantities: `16`, `"5120Mi"`, `100Gi`, `1.5`, `500m`."""

from __future__ import annotations

import re
from fractions import Fraction

_QUANTITY = re.compile(
    r"([+-]?[0-9]{1,18}(?:\.[0-9]{0,9})?)(?:([kMGTPEmun]|[KMGTPE]i)|[eE]([+-]?[0-9]{1,2}))?"
)
_SUFFIXES = {
    **{suffix: Fraction(1000) ** power for power, suffix in enumerate("kMGTPE", start=1)},
    **{f"{suffix}i": Fraction(1024) ** power for power, suffix in enumerate("KMGTPE", start=1)},
    "m": Fraction(1, 1000),
    "u": Fraction(1, 1000_000),
    "n": Fraction(1, 1000_000_000),
}


def parse_quantity(text: str | None) -> Fraction | None:
    """The number that a quantity stands for; None when it is none."""
    found = _QUANTITY.fullmatch(text or "")
    if found is None:
        return None
    number, suffix, exponent = found.groups()
    value = Fraction(number.rstrip(".") if number.endswith(".") else number)
    return value * _SUFFIXES.get(suffix, Fraction(1)) * Fraction(10) ** int(exponent or 0)


def has_unit(text: str) -> bool:
    """Whether a quantity names a unit, as `5120Mi` does and `256` does not."""
    found = _QUANTITY.fullmatch(text)
    return found is not None and found[2] is not None
