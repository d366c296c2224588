"""Reads what `--mfu` tells: the share of the peak that training reaches, by kind of instance."""

from __future__ import annotations

import math
from difflib import get_close_matches
from typing import TYPE_CHECKING

from trnkit.errors import UsageError
from trnkit.layout.cost.machines import ASSUMED_UTILISATION, Utilisation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ALL = "all"
_EXAMPLE = "trn2=0.35,p5=0.40"


def read_utilisation(texts: Sequence[str], types: Iterable[str]) -> Utilisation:
    """The utilisation that the command line tells.

    Args:
        texts: Each as `trn2=0.35,p5=0.40`; `all=0.45` is of every kind that is not named.
        types: Instance types that are compared; their families can be named too.

    Raises:
        UsageError: One of them cannot be meant.
    """
    names = [name for kind in types for name in (kind.partition(".")[0], kind)]
    known = tuple(dict.fromkeys((_ALL, *names)))
    told: dict[str, float] = {}
    for entry in (part for text in texts for part in text.split(",")):
        name, share = _pair(entry)
        if name not in known:
            near = ", ".join(get_close_matches(name, known, n=3) or known[:3])
            raise UsageError(f"--mfu {name} is no kind that is compared: {near} are")
        if name in told:
            raise UsageError(f"--mfu {name} is told twice: keep one")
        told[name] = share
    default = told.pop(_ALL, ASSUMED_UTILISATION)
    return Utilisation(default=default, told=tuple(told.items()))


def _pair(entry: str) -> tuple[str, float]:
    name, _, number = (part.strip() for part in entry.partition("="))
    try:
        share = float(number) if name else math.nan
    except ValueError:
        share = math.nan
    if not 0 < share <= 1:
        raise UsageError(
            f"--mfu {entry.strip()!r} is no kind and share: write {_EXAMPLE}, shares above 0 and "
            "up to 1"
        )
    return name, share
