"""Resources of the examples' templates, with their references replaced by things of a test."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.synthesis import ROOT

_TEMPLATES = ROOT / "tests" / "golden" / "templates"


def resources_of(type_name: str) -> list[Any]:
    """The properties of every resource of a type, as parameters of a test."""
    found: list[Any] = []
    for path in sorted(_TEMPLATES.glob("*/*.json")):
        for logical_id, resource in json.loads(path.read_text())["Resources"].items():
            if resource["Type"] == type_name:
                name = f"{path.parent.name}-{logical_id}"
                found.append(pytest.param(resource["Properties"], id=name))
    return found


def resolved(value: Any, reference: Callable[[Any], str]) -> Any:
    """Properties with each intrinsic function replaced.

    Args:
        value: What the template has.
        reference: Gives the value of ``Ref``, ``Fn::GetAtt`` and ``Fn::ImportValue``, by its
            argument.
    """
    if isinstance(value, list):
        return [resolved(entry, reference) for entry in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        (name,) = value
        if name == "Fn::Join":
            between, parts = value[name]
            return between.join(resolved(part, reference) for part in parts)
        if name == "Ref" or name.startswith("Fn::"):
            return reference(value[name])
    return {name: resolved(entry, reference) for name, entry in value.items()}
