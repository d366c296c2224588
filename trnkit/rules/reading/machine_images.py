"""Machine images as templates name them: by id, or by an SSM parameter that says what they are.

A parameter is read wherever it may stand: in `resolve:ssm:`, which EC2 resolves at each launch, in
`{{resolve:ssm:...}}` and in a template parameter of an SSM type, which CloudFormation resolves at
each deployment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from trnkit.catalog import ImageParameterFamily, image_parameter_families
from trnkit.rules.reading.known_values import UNKNOWN
from trnkit.rules.reading.template_value import TemplateValue, as_mapping, function_of
from trnkit.rules.reading.user_data import UNKNOWN_PART, user_data_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_DEPTH = 4
_AT_LAUNCH = "resolve:ssm:"
_AT_DEPLOYMENT = "{{resolve:ssm:"
_OF_ARN = re.compile(r"arn:[^:]*:ssm:[^:]*:[^:]*:parameter(?=/)")


@dataclass(frozen=True, slots=True)
class ImageParameter:
    """The SSM parameter behind an image.

    Attributes:
        value: The place that names the image.
        name: Name of the parameter, with `UNKNOWN_PART` for what is not known.
        resolved_at: Whether EC2 looks it up at each launch, or CloudFormation at each deployment.
        is_pinned: Whether a version of the parameter is named with it.
        template_parameter: The template parameter whose default it is; None when it is written
            into the resource.
    """

    value: TemplateValue
    name: str
    resolved_at: Literal["launch", "deployment"]
    is_pinned: bool
    template_parameter: str | None = None

    @property
    def shown(self) -> str:
        """The name for a message: what is not known is `...`."""
        return self.name.replace(UNKNOWN_PART, "...")

    def family(self) -> ImageParameterFamily | None:
        """What kind of image it holds, when the catalogue knows parameters of its shape."""
        found = (kind for kind in image_parameter_families() if kind.shape.fullmatch(self.name))
        return next(found, None)

    def segment(self, name: str) -> str | None:
        """What stands in the place of `<name>` of its family; None when there is no such place."""
        family = self.family()
        matched = family.shape.fullmatch(self.name) if family else None
        found = matched.groupdict().get(name) if matched else None
        return None if found is None or UNKNOWN_PART in found else found

    @property
    def os(self) -> str | None:
        """Operating system of the image as the catalogue spells it; None when not known."""
        family = self.family()
        return (family.os or self.segment("os")) if family else None

    @property
    def drivers(self) -> tuple[str, ...] | None:
        """Accelerator drivers on the image; None when not known."""
        family, variant = self.family(), self.segment("variant") or ""
        if family is None or family.drivers is not None or not variant.startswith("aws-k8s-"):
            return family.drivers if family else None
        if self.segment("architecture") != "x86_64":
            return None
        return ("nvidia",) if "nvidia" in variant else ("neuron",)

    @property
    def architecture(self) -> str | None:
        """CPU architecture of the image; None when not known."""
        family = self.family()
        return (family.architecture or self.segment("architecture")) if family else None


def image_parameter(value: TemplateValue) -> ImageParameter | None:
    """The SSM parameter of an image; None when it has none, or that is not known."""
    declared = _declared(value)
    if declared is not None:
        kind, default, name = declared
        if kind.startswith("AWS::SSM::Parameter::Value<") and isinstance(default, str):
            bare, version = _split(default)
            return ImageParameter(value, bare, "deployment", bool(version), name)
        return None
    text = _text(value)
    if text is None:
        return None
    if text.startswith(_AT_DEPLOYMENT) and text.endswith("}}"):
        bare, version = _split(text[len(_AT_DEPLOYMENT) : -2])
        return ImageParameter(value, bare, "deployment", bool(version))
    if text.startswith(_AT_LAUNCH):
        bare, version = _split(text[len(_AT_LAUNCH) :])
        return ImageParameter(value, bare, "launch", bool(version))
    return None


def is_certainly_named(value: TemplateValue) -> bool:
    """Whether something stands there in every deployment: no condition may take it away."""
    return not value.is_absent and value.raw is not UNKNOWN and not _may_be_nothing(value.raw, 0)


def branches(value: TemplateValue) -> tuple[TemplateValue, ...]:
    """What a value may be: the branches of `Fn::If`, each in its place, else the value itself."""
    return tuple(_branches(value, 0))


def key_of(value: TemplateValue) -> str:
    """The property that a value belongs to, also when it is a branch of `Fn::If`."""
    names = [part for part in value.path if isinstance(part, str) and not part.startswith("Fn::")]
    return names[-1]


def _may_be_nothing(raw: Any, depth: int) -> bool:
    function, arguments = function_of(raw)
    if function == "Fn::If" and len(arguments) == 3 and depth <= _MAX_DEPTH:
        return any(_may_be_nothing(argument, depth + 1) for argument in arguments[1:])
    is_nothing = function == "Ref" and arguments == ["AWS::NoValue"]
    return is_nothing or function in ("Fn::If", "Fn::Transform")


def _branches(value: TemplateValue, depth: int) -> Iterator[TemplateValue]:
    function, arguments = function_of(value.raw)
    if function != "Fn::If" or len(arguments) != 3 or depth > _MAX_DEPTH:
        yield value
        return
    for index in (1, 2):
        raw, path = arguments[index], (*value.path, function, index)
        resolved = value.resource.template.resolve(raw)
        yield from _branches(TemplateValue(value.resource, path, raw, resolved), depth + 1)


def _declared(value: TemplateValue) -> tuple[str, Any, str] | None:
    """Type, default and name of the template parameter that a value refers to."""
    function, arguments = function_of(value.raw)
    if function != "Ref" or len(arguments) != 1:
        return None
    parameters = as_mapping(value.resource.template.body.get("Parameters")) or {}
    entry = as_mapping(parameters.get(str(arguments[0])))
    if entry is None:
        return None
    kind = str(entry.get("Type"))
    return (kind, entry.get("Default"), str(arguments[0])) if kind.startswith("AWS::SSM") else None


def _text(value: TemplateValue) -> str | None:
    """The text as written, with `UNKNOWN_PART` where it is not known."""
    if isinstance(value.raw, str):
        return value.raw
    # The reader of user data puts any text together in the same way.
    wrapped = {"Fn::Base64": value.raw}
    return user_data_text(TemplateValue(value.resource, value.path, wrapped, UNKNOWN))


def _split(reference: str) -> tuple[str, str]:
    """A parameter's name and its version, or label."""
    name, _, version = _OF_ARN.sub("", reference).strip().partition(":")
    return name, version
