"""`Fn::ForEach`, written out as `AWS::LanguageExtensions` does it where its list is known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from trnkit.rules.reading.known_values import plain_text

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Template

LOOP = "Fn::ForEach::"
_SECTIONS = ("Conditions", "Resources", "Outputs")
_MOST_NODES = 200_000
_DEEPEST = 60
_NAME = re.compile(r"([$&])\{([A-Za-z0-9]+)\}")
_NOT_ALPHANUMERIC = re.compile("[^A-Za-z0-9]")
Names = Mapping[str, str]
Place = tuple[str | int, ...]
_NO_LOOP: tuple[Any, list[str] | None, Any] = (None, None, None)


class Loops:
    """What the loops of a template stand for.

    Attributes:
        body: The template with its loops written out; one whose list is not known stays.
        is_complete: Whether all were written out.
        places: Where the resources that loops made are written, by logical id.
    """

    def __init__(self, template: Template) -> None:
        """Write the loops of a template out."""
        self._template = template
        self._nodes_left = _MOST_NODES
        self.is_complete = True
        self.places: dict[str, Place] = {}
        body: dict[str, Any] = dict(template.written)
        for section in _SECTIONS:
            if section in body:
                body[section] = self._written_out(body[section], {}, (section,))
        self.body: Mapping[str, Any] = body

    def _written_out(self, node: Any, names: Names, place: Place) -> Any:
        self._nodes_left -= 1
        if self._nodes_left < 0 or len(place) > _DEEPEST:
            self.is_complete = False
            return node
        if isinstance(node, str):
            return _filled_in(node, names) if names else node
        if isinstance(node, list):
            items = enumerate(cast("list[Any]", node))
            return [self._written_out(item, names, (*place, index)) for index, item in items]
        if isinstance(node, Mapping):
            entries = cast("Mapping[Any, Any]", node)
            name = entries.get("Ref") if len(entries) == 1 else None
            if isinstance(name, str) and name in names:
                return names[name]
            return self._entries(entries, names, place, is_section=len(place) == 1)
        return node

    def _entries(
        self, entries: Mapping[Any, Any], names: Names, place: Place, *, is_section: bool
    ) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key, value in entries.items():
            here = (*place, str(key))
            if str(key).startswith(LOOP):
                found |= self._loop(str(key), value, names, here, is_section=is_section)
                continue
            filled = _filled_in(key, names) if names and isinstance(key, str) else key
            if is_section and names and place[0] == "Resources":
                self.places.setdefault(str(filled), here)
            found[filled] = self._written_out(value, names, here)
        return found

    def _loop(
        self, key: str, loop: Any, names: Names, place: Place, *, is_section: bool
    ) -> dict[Any, Any]:
        parts = cast("list[Any]", loop) if isinstance(loop, list) else []
        variable, values, fragment = _NO_LOOP
        if len(parts) == 3 and len(place) <= _DEEPEST:
            variable, values, fragment = parts[0], self._values(parts[1], names), parts[2]
        if values is None or not isinstance(variable, str) or not isinstance(fragment, Mapping):
            self.is_complete = False
            return {key: loop}
        entries = cast("Mapping[Any, Any]", fragment)
        found: dict[Any, Any] = {}
        for value in values:
            self._nodes_left -= 1
            if self._nodes_left < 0:
                self.is_complete = False
                break
            inner = {**names, variable: value}
            found |= self._entries(entries, inner, (*place, 2), is_section=is_section)
        return found

    def _values(self, raw: Any, names: Names) -> list[str] | None:
        """The texts of a list; None when any of them is not known."""
        values = self._template.resolve(self._written_out(raw, names, ("Resources", "")))
        if not isinstance(values, list):
            return None
        texts = [plain_text(self._template.resolve(item)) for item in cast("list[Any]", values)]
        known = [text for text in texts if text is not None]
        return known if len(known) == len(texts) else None


def _filled_in(text: str, names: Names) -> str:
    """`${Name}` is the value; `&{Name}` is what of it may stand in a logical id."""
    return _NAME.sub(lambda found: _value(found, names), text)


def _value(found: re.Match[str], names: Names) -> str:
    if found[2] not in names:
        return found[0]
    value = names[found[2]]
    return _NOT_ALPHANUMERIC.sub("", value) if found[1] == "&" else value
