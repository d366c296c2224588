"""Numbers that stand for per cent, and those that look like the fraction that was meant."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, cast

from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config.yaml_reader import Path

FRACTIONS_MOST = 2
"""Where limits are meant, `1.2` is 120 per cent; nobody lets all alerts come at 2 per cent."""

_MAY_BE_SMALL = {"below_utilization_percent"}
"""A NeuronCore that does nothing is at 0, so that a part of one per cent is a way to say idle."""

_OF_LIMITS = {"at_month_to_date_percent", "alert_percent", "thresholds"}
"""Keys of limits: what is below them is per cent of what may be spent."""


def likely_fractions(model: BaseModel) -> Iterator[tuple[Path, float]]:
    """Each number that is written as per cent and looks like a fraction, and its path.

    A limit looks like one where all that stand together are at most 2; a discount or another
    single share where it is less than 1. Every key that ends in `percent` counts.

    Args:
        model: A file, or a part of one.
    """
    together: dict[tuple[str, ...], list[tuple[Path, float]]] = defaultdict(list)
    for path, value in _written(model, ()):
        together[tuple(key for key in path if isinstance(key, str))].append((path, value))
    for keys, found in together.items():
        most = max(value for _, value in found)
        if most < 1 or (most <= FRACTIONS_MOST and not _OF_LIMITS.isdisjoint(keys)):
            yield from ((path, value) for path, value in found if value > 0)


def _written(model: BaseModel, path: Path) -> Iterator[tuple[Path, float]]:
    """What a file says itself: a default is in per cent."""
    for key in type(model).model_fields:
        if key in model.model_fields_set and key not in _MAY_BE_SMALL:
            yield from _below(getattr(model, key), (*path, key), is_share=key.endswith("percent"))


def _below(value: object, path: Path, *, is_share: bool) -> Iterator[tuple[Path, float]]:
    if isinstance(value, BaseModel):
        yield from _written(value, path)
    elif isinstance(value, tuple):
        for index, item in enumerate(cast("tuple[object, ...]", value)):
            yield from _below(item, (*path, index), is_share=is_share)
    elif is_share and isinstance(value, int | float):
        yield path, value
