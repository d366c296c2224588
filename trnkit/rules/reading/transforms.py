"""Macros of a template, and what they leave certain of what is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Template

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
_STACK = "AWS::CloudFormation::Stack"
_LINKS = re.compile(
    "Fn::ImportValue|Fn::GetStackOutput|resolve:ssm"
    "|AWS::SSM::Parameter(?!::Value<AWS::EC2::Image::Id>)"
)


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


def may_lack_resources(template: Template) -> bool:
    """Whether what belongs to a template may be made where it is not seen.

    By a macro of its own, or by one of another template that it shares anything with.
    """
    if not template.transforms.is_whole:
        return True
    others = [t for t in template.stack_set.templates if not t.transforms.is_whole]
    return bool(others) and _is_linked(template)


def _is_linked(template: Template) -> bool:
    """Whether it gives anything to other templates, or takes anything from them."""
    if template.parent is not None or any(r.type == _STACK for r in template.resources.values()):
        return True
    outputs = _mapping(template.written.get("Outputs")).values()
    if any("Export" in _mapping(output) for output in outputs):
        return True
    return _LINKS.search(repr(template.written)) is not None


def _mapping(value: Any) -> Mapping[Any, Any]:
    return cast("Mapping[Any, Any]", value) if isinstance(value, Mapping) else {}
