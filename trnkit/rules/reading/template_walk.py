"""Walks through the whole of a template, however deep, wide or tangled it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.rules.reading.template_value import as_list, as_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config.yaml_reader import Path

_PLAIN = (str, int, float, bool, type(None))
_MOST = 100_000
"""Lists and mappings that are looked into in one resource; what has more is a trap for linters."""


def entries_within(raw: Any, path: Path = ()) -> Iterator[tuple[Path, str | int, Any]]:
    """Every entry of every list and mapping within a value, those that are shared once.

    Args:
        raw: The value, unresolved.
        path: The way to it.

    Yields:
        The way to the list or mapping, the key or index in it, and the entry.
    """
    waiting, seen = [(path, raw)], set[int]()
    while waiting and len(seen) < _MOST:
        here, value = waiting.pop()
        # An alias of YAML may make a value a part of itself.
        if id(value) in seen:
            continue
        seen.add(id(value))
        mapping = as_mapping(value)
        inner: list[tuple[Path, Any]] = []
        entries = enumerate(as_list(value) or ()) if mapping is None else mapping.items()
        for key, part in entries:
            yield here, key, part
            # Most entries are texts, and the quickest question is for their class.
            if part.__class__ not in _PLAIN:
                inner.append(((*here, key), part))
        waiting += reversed(inner)


def written_size(raw: Any, most: int) -> tuple[int, int]:
    """How many characters a value has at least, as compact JSON and as terse YAML.

    Args:
        raw: The value.
        most: Where to stop counting.
    """
    waiting, quotes, size = [raw], 0, 0
    while waiting and size <= most:
        value = waiting.pop()
        if isinstance(value, str):
            quotes += 2
            size += len(value) + 2
            continue
        mapping, items = as_mapping(value), as_list(value)
        if mapping is not None:
            # Braces, and for each entry quotes, a colon, and a comma or a line break.
            quotes += 2 + 2 * len(mapping)
            size += 2 + 4 * len(mapping) + sum(map(len, map(str, mapping)))
            waiting += mapping.values()
        elif items is not None:
            quotes += 2
            size += 2 + len(items)
            waiting += items
        else:
            size += 1
    return size, size - quotes
