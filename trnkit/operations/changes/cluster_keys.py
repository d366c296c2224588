"""Keys of the cluster file that differ, with the line of each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trnkit.config.yaml_reader import clipped, format_path
from trnkit.report.change_results import KeyChange

if TYPE_CHECKING:
    from trnkit.config import ClusterFile
    from trnkit.config.yaml_reader import Path

_LONGEST = 60
_NAMES = ("name", "rule_id", "file_system_path", "bucket_name", "device_name", "path")
_ABSENT = object()


def differing_keys(old: ClusterFile, new: ClusterFile) -> tuple[KeyChange, ...]:
    """The keys whose values differ, as the files are written: defaults do not show."""
    found = _compare(old.document.data, new.document.data, (), ())
    return tuple(_placed(old, new, *difference) for difference in found)


def _compare(
    old: Any, new: Any, before: Path, after: Path
) -> Iterator[tuple[Any, Any, Path, Path]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            then, now = old.get(key, _ABSENT), new.get(key, _ABSENT)
            yield from _compare(then, now, (*before, key), (*after, key))
    elif isinstance(old, list) and isinstance(new, list):
        for then, now in _pairs(old, new):
            item, other = (old[then] if then is not None else _ABSENT), _ABSENT
            if now is not None:
                other = new[now]
            places = [index for index in (then, now) if index is not None]
            yield from _compare(item, other, (*before, places[0]), (*after, places[-1]))
    elif type(old) is not type(new) or old != new:
        yield old, new, before, after


def _pairs(old: list[Any], new: list[Any]) -> Iterator[tuple[int | None, int | None]]:
    """Indexes of the items that stand for each other: by name where they have names."""
    name = next((key for key in _NAMES if _are_named(old, key) and _are_named(new, key)), None)
    keys = [[item[name] if name else index for index, item in enumerate(s)] for s in (old, new)]
    places = [{key: index for index, key in enumerate(side)} for side in keys]
    for key in dict.fromkeys([*keys[0], *keys[1]]):
        yield places[0].get(key), places[1].get(key)


def _are_named(items: list[Any], key: str) -> bool:
    names = [item.get(key) if isinstance(item, dict) else None for item in items]
    return all(isinstance(name, str) for name in names) and len({*names}) == len(names)


def _placed(
    old: ClusterFile, new: ClusterFile, then: Any, now: Any, before: Path, after: Path
) -> KeyChange:
    file, path = (old, before) if now is _ABSENT else (new, after)
    mark = file.document.locate(path)
    return KeyChange(
        path=format_path(path),
        old=_shown(then),
        new=_shown(now),
        file=file.file,
        line=mark.line,
        column=mark.column,
    )


def _shown(value: Any) -> str | None:
    if value is _ABSENT:
        return None
    written = getattr(value, "text", None)
    if isinstance(written, str):
        return clipped(written, _LONGEST)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return clipped(text, _LONGEST)
