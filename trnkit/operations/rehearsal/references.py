"""References of a template that lead nowhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_PSEUDO = re.compile(r"AWS::[A-Za-z]+")
_IN_TEXT = re.compile(r"\$\{(?P<name>[A-Za-z0-9:.]+)\}")


class Names:
    """What a template's functions may refer to.

    Args:
        template: The template.
        found: Its resources that were made, with their ``attributes``, by logical id.
    """

    def __init__(self, template: Mapping[str, Any], found: Mapping[str, Any]) -> None:
        self._resources = template.get("Resources") or {}
        self._parameters = template.get("Parameters") or {}
        self._found = found

    def unknown_in(self, value: Any, path: str = "") -> tuple[str, ...]:
        """Where a value of the template refers to what the template does not have."""
        if isinstance(value, list):
            parts = [self.unknown_in(item, f"{path}[{n}]") for n, item in enumerate(value)]
            return tuple(place for part in parts for place in part)
        if not isinstance(value, Mapping):
            return ()
        if len(value) == 1:
            ((function, given),) = value.items()
            if function == "Ref":
                return () if self._known(str(given)) else (f"{path}: Ref {given}",)
            if function == "Fn::GetAtt":
                name, _, attribute = ".".join(map(str, _listed(given))).partition(".")
                known = self._has_attribute(name, attribute)
                return () if known else (f"{path}: Fn::GetAtt {name}.{attribute}",)
            if function == "Fn::Sub":
                return self._unknown_in_text(given, path)
        parts = [self.unknown_in(item, f"{path}.{name}".strip(".")) for name, item in value.items()]
        return tuple(place for part in parts for place in part)

    def _unknown_in_text(self, given: Any, path: str) -> tuple[str, ...]:
        text, own = (given[0], given[1]) if isinstance(given, list) else (given, {})
        unknown: list[str] = []
        for name in _IN_TEXT.findall(str(text)):
            logical_id, _, attribute = name.partition(".")
            known = name in own or self._known(name)
            if not known and not (attribute and self._has_attribute(logical_id, attribute)):
                unknown.append(f"{path}: Fn::Sub {name}")
        return (*unknown, *self.unknown_in(own, path))

    def _known(self, name: str) -> bool:
        return name in self._resources or name in self._parameters or bool(_PSEUDO.fullmatch(name))

    def _has_attribute(self, name: str, attribute: str) -> bool:
        if name not in self._resources:
            return False
        # A resource that a condition left out; what refers to it stands under that condition too.
        if name not in self._found:
            return True
        return attribute in (self._found[name].get("attributes") or {})


def left_in(value: Any, path: str = "") -> tuple[str, ...]:
    """Where resolved properties still hold a function."""
    if isinstance(value, list):
        parts = [left_in(item, f"{path}[{n}]") for n, item in enumerate(value)]
        return tuple(place for part in parts for place in part)
    if not isinstance(value, Mapping):
        return ()
    if len(value) == 1:
        (name,) = value
        if name == "Ref" or str(name).startswith("Fn::"):
            return (f"{path}: {name}",)
    parts = [left_in(item, f"{path}.{name}".strip(".")) for name, item in value.items()]
    return tuple(place for part in parts for place in part)


def _listed(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given]
