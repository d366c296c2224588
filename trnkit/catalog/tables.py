"""Reads the catalogue's JSON tables, each once a process."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any, cast

# os.path rather than pathlib or importlib.resources: those two cost more to import than every
# table costs to read, and the command line pays for them even when it only prints its help.
_DATA = os.path.join(os.path.dirname(__file__), "data")  # noqa: PTH118, PTH120


@cache
def table(name: str) -> dict[str, Any]:
    """Return one table of the catalogue.

    Args:
        name: The file's name without its ending, for example `regions`.

    Returns:
        The parsed JSON object, with tuples for arrays. Its dictionaries are shared between callers
        and must not be changed.
    """
    path = os.path.join(_DATA, f"{name}.json")  # noqa: PTH118
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        return _with_tuples(json.load(file))


def _with_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {key: _with_tuples(member) for key, member in members.items()}
    if isinstance(value, list):
        return tuple(_with_tuples(member) for member in cast("list[Any]", value))
    return value
