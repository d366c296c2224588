"""What to do about a value of the wrong kind, as far as what was written tells."""

from __future__ import annotations

import re
from typing import Any

_NUMBER = re.compile(r"\$?\s*([-+]?[0-9]{1,15}(?:\.[0-9]{1,15})?)\s*([A-Za-z%]*)")
_THOUSANDS = re.compile(r"[-+]?[0-9]{1,3}(?:[,_ '][0-9]{3})+(?![0-9])")
_WHOLE = re.compile(r"([-+]?[0-9]+)(?:\.0+)?")
_PLAIN = "write a number without unit or comma"

# The units that a key of each ending has anyway, so that leaving them out changes nothing.
_UNITS = {
    "_gib": {"gib", "gi"},
    "_usd": {"usd"},
    "percent": {"%", "percent"},
    "_days": {"d", "day", "days"},
    "count": {"node", "nodes"},
}


def number_hint(key: str, got: Any, *, whole: bool) -> str:
    """What to write in place of a text or a fraction where a number must be.

    Args:
        key: The key, whose ending names the unit.
        got: The value in the file.
        whole: Whether only a whole number will do.
    """
    if isinstance(got, bool | dict | list | tuple):
        return "write a number"
    text = str(getattr(got, "text", got)).strip()[:60]
    text = _THOUSANDS.sub(lambda match: re.sub("[,_ ']", "", match[0]), text)
    match = _NUMBER.fullmatch(text)
    if match is None:
        return _PLAIN if re.search("[0-9]", text) else "write the number in digits"
    number, unit = match[1], match[2].lower()
    kept = _WHOLE.fullmatch(number)
    if unit and not any(unit in u for ending, u in _UNITS.items() if key.endswith(ending)):
        return _PLAIN
    if whole and kept is None:
        return "write a whole number"
    written = kept[1] if kept is not None else number
    quoted = isinstance(got, str) and got.strip() == written
    return f"write {written}{', without quotes' if quoted else ''}"


def section_hint(key: str, got: Any) -> str:
    """What to do where a section must be.

    Args:
        key: The key of the section, or the one of the list it is in.
        got: The value in the file.
    """
    if isinstance(got, list | tuple):
        return f"remove the dash: the keys of `{key}` stand below it, indented"
    return f"write `key: value` lines below `{key}`, indented"


def list_hint(key: str, got: Any) -> str:
    """What to do where a list must be.

    Args:
        key: The key of the list.
        got: The value in the file.
    """
    if isinstance(got, dict):
        return f"begin each entry of `{key}` with a dash"
    text = str(getattr(got, "text", got))
    plain = (
        len(text) <= 60 and text.isprintable() and not re.search(r"""[\[\]{},#:"'&*!|>%`]""", text)
    )
    return f"write `{key}: [{text}]`" if plain else f"put the value of `{key}` into brackets: [...]"


def limit_hint(kind: str, limit: str) -> str:
    """What to write where a number is out of bounds.

    Args:
        kind: pydantic's name of the bound.
        limit: The bound.
    """
    words = {"greater_than": "more than {}", "less_than_equal": "{} or less"}
    return f"write {words.get(kind, '{} or more').format(limit)}"
