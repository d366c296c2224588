"""Macros of a template, and what they leave certain of what is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

_LOOPS = "AWS::LanguageExtensions"
_INCLUDE = "AWS::Include"
_OF_OTHER_SERVICES = (
    "AWS::Serverless-",
    "AWS::CodeDeployBlueGreen",
    "AWS::SecretsManager-",
    "AWS::ServiceCatalog",
)
"""They replace resources of their own types, and none that a rule asks for."""
_SECTIONS = ("Resources", "Outputs")


@dataclass(frozen=True, slots=True)
class Transforms:
    """What is known of a template's macros.

    Attributes:
        is_whole: Whether all its resources are seen.
        is_literal: Whether its resources have the properties that are written, and no others.
        may_loop: Whether there may be `Fn::ForEach` in it.
    """

    is_whole: bool
    is_literal: bool
    may_loop: bool = False

    def with_loops(self, *, is_complete: bool) -> Transforms:
        """The same after the loops were written out, all of them or not."""
        return replace(self, is_whole=self.is_whole and is_complete)


def read_transforms(body: Mapping[str, Any]) -> Transforms:
    """Read `Transform`, and `Fn::Transform` and loops among resources and outputs."""
    transforms = body.get("Transform")
    listed = cast("list[Any]", transforms) if isinstance(transforms, list) else [transforms]
    names = [str(_mapping(t).get("Name")) if _mapping(t) else str(t) for t in listed if t]
    own = [n for n in names if n != _LOOPS and not n.startswith(_OF_OTHER_SERVICES)]
    keys = [str(key) for section in _SECTIONS for key in _mapping(body.get(section))]
    included = "Fn::Transform" in body or "Fn::Transform" in keys
    loops = _LOOPS in names or any(key.startswith("Fn::ForEach") for key in keys)
    return Transforms(
        is_whole=not own and not included,
        is_literal=all(name == _INCLUDE for name in own),
        may_loop=loops,
    )


def _mapping(value: Any) -> Mapping[Any, Any]:
    return cast("Mapping[Any, Any]", value) if isinstance(value, Mapping) else {}
