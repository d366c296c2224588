"""Walks through the whole of a template, however deep, wide or tangled it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.rules.reading.template_value import as_list, as_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config.yaml_reader import Path

_MOST = 200_000
"""Values that are looked at in one resource; what has more is a trap for linters."""


def values_within(raw: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value within another with the way to it, each shared one once.

    Args:
        raw: The value, unresolved.
        path: The way to it.
    """
    waiting, seen, number = [(path, raw)], set[int](), 0
    while waiting and number < _MOST:
        number += 1
        here, value = waiting.pop()
        yield here, value
        mapping, items = as_mapping(value), as_list(value)
        if mapping is None and items is None:
            continue
        # An alias of YAML may make a value a part of itself.
        if id(value) in seen:
            continue
        seen.add(id(value))
        inner = list(mapping.items()) if mapping is not None else list(enumerate(items or ()))
        waiting += [((*here, _step(key)), part) for key, part in reversed(inner)]


def _step(key: Any) -> str | int:
    return key if isinstance(key, str | int) else str(key)


def written_size(raw: Any, most: int) -> tuple[int, int]:
    """How many characters a value has at least, as compact JSON and as terse YAML.

    Args:
        raw: The value.
        most: Where to stop counting.
    """
    waiting, quotes, size = [raw], 0, 0
    while waiting and size <= most:
        value = waiting.pop()
        mapping, items = as_mapping(value), as_list(value)
        if mapping is not None:
            # Braces, and a colon and a comma or line break for each entry.
            quotes += 2
            size += 2 + 2 * len(mapping)
            for key, part in mapping.items():
                waiting += [str(key), part]
        elif items is not None:
            quotes += 2
            size += 2 + len(items)
            waiting += items
        elif isinstance(value, str):
            quotes += 2
            size += len(value) + 2
        else:
            size += 1
    return size, size - quotes
