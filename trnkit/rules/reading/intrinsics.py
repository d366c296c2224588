"""CloudFormation's intrinsic functions, evaluated as far as that can be done offline."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from trnkit.rules.reading.known_values import UNKNOWN, Reference
from trnkit.rules.reading.list_functions import FUNCTIONS
from trnkit.rules.reading.parameters import given_value, parameter_value
from trnkit.rules.reading.shared_values import exported_value

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Resource, Template

MAX_DEPTH = 60
_ALONE = re.compile(r"\$\{([A-Za-z0-9:.]+)\}")
_AS_WRITTEN = {
    "AWS::EC2::VPC": ("CidrBlock",),
    "AWS::EC2::Subnet": ("AvailabilityZone", "CidrBlock", "VpcId"),
    "AWS::EC2::SecurityGroup": ("VpcId",),
}
"""Attributes that are properties."""
_PLAIN = (list, bool, int, float, type(None))


def function_name(value: Any) -> str | None:
    """The name of the intrinsic function that a value is; None when it is plain."""
    if value.__class__ in _PLAIN or not isinstance(value, Mapping) or len(value) != 1:  # pyright: ignore[reportUnknownArgumentType]
        return None
    name = str(next(iter(value)))  # pyright: ignore[reportUnknownArgumentType]
    is_function = name in _RESOLVERS or name.startswith("Fn::")
    return name if is_function or name in ("Condition", "Rain::Embed") else None


def evaluate(template: Template, name: str, argument: Any, depth: int) -> Any:
    """Evaluate one function; see `Template.resolve`."""
    resolver = _RESOLVERS.get(name)
    return UNKNOWN if resolver is None or depth > MAX_DEPTH else resolver(template, argument, depth)


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _ref(template: Template, argument: Any, depth: int) -> Any:
    if not isinstance(argument, str):
        return UNKNOWN
    if argument == "AWS::NoValue":
        return None
    if argument in template.resources:
        return _reference(template.resources[argument])
    if argument == "AWS::Region" and template.region:
        return template.region
    if template.parent is not None and argument in _mapping(template.body.get("Parameters")):
        key = (template.number, "parameter", argument)
        return template.stack_set.guarded(key, lambda: given_value(template, argument))
    assumes = template.stack_set.assumes_defaults
    return parameter_value(template, argument, with_default=assumes)


def _reference(resource: Resource, attribute: str | None = None) -> Any:
    """What is not made is not referred to."""
    return UNKNOWN if resource.is_made is False else Reference(resource, attribute)


def _get_att(template: Template, argument: Any, depth: int) -> Any:
    parts = argument.split(".", 1) if isinstance(argument, str) else argument
    if not isinstance(parts, list) or len(parts) != 2:
        return UNKNOWN
    logical_id, attribute = parts
    if not isinstance(logical_id, str) or logical_id not in template.resources:
        return UNKNOWN
    resource, attribute = template.resources[logical_id], template.text(attribute, depth)
    if attribute is None:
        return UNKNOWN
    nested = template.stack_set.nested(resource)
    if nested is not None and attribute.startswith("Outputs."):
        return nested.output(attribute.removeprefix("Outputs."), depth)
    if attribute in _AS_WRITTEN.get(resource.type, ()) and attribute in resource.properties:
        key = (template.number, logical_id, attribute)
        return template.stack_set.guarded(key, lambda: resource.get(attribute, default=UNKNOWN))
    return _reference(resource, attribute)


def _if(template: Template, argument: Any, depth: int) -> Any:
    branch = template.branch_of({"Fn::If": argument})
    return UNKNOWN if branch is None else template.resolve(argument[branch], depth)


def _import_value(template: Template, argument: Any, depth: int) -> Any:
    name = template.text(argument, depth)
    if name is None:
        return UNKNOWN
    return exported_value(template.stack_set, name, template.region, depth)


def _get_stack_output(template: Template, argument: Any, depth: int) -> Any:
    stack = template.stack_set.template(str(_mapping(argument).get("StackName")))
    return stack.output(str(_mapping(argument).get("OutputName")), depth) if stack else UNKNOWN


def _join(template: Template, argument: Any, depth: int) -> Any:
    if not isinstance(argument, list) or len(argument) != 2:
        return UNKNOWN
    separator, parts = argument
    parts = template.resolve(parts, depth)
    if not isinstance(parts, list) or not isinstance(separator, str):
        return UNKNOWN
    if len(parts) == 1:
        return template.resolve(parts[0], depth)
    texts = [template.text(part, depth) for part in parts]
    known = [text for text in texts if text is not None]
    size = sum(map(len, known)) + len(separator) * len(known)
    if len(known) < len(texts) or not template.stack_set.affords(size):
        return UNKNOWN
    return separator.join(known)


def _base64(template: Template, argument: Any, depth: int) -> Any:
    text = template.text(argument, depth)
    return UNKNOWN if text is None else text


def _sub(template: Template, argument: Any, depth: int) -> Any:
    """Only substitutions whose values are known give text; `${Name}` alone is a `Ref`."""
    alone = _ALONE.fullmatch(argument) if isinstance(argument, str) else None
    if alone is not None:
        return (_get_att if "." in alone[1] else _ref)(template, alone[1], depth)
    pieces = substituted(template, argument, depth)
    known = [piece for piece in pieces or () if piece is not None]
    if pieces is None or len(known) < len(pieces):
        return UNKNOWN
    return "".join(known) if template.stack_set.affords(sum(map(len, known))) else UNKNOWN


def substituted(template: Template, argument: Any, depth: int) -> list[str | None] | None:
    """The pieces of a `Fn::Sub`, None for each that is not known; `${!Literal}` is a dollar sign.

    Args:
        template: The template that it is in.
        argument: A text, or a list of a text and a mapping.
        depth: How deep it is in other functions.

    Returns:
        None when it is no `Fn::Sub`.
    """
    pattern, values = argument, {}
    if isinstance(argument, list) and len(argument) == 2:
        pattern, values = argument[0], _mapping(argument[1])
    if not isinstance(pattern, str):
        return None
    first, *others = pattern.split("${")
    texts: list[str | None] = [first]
    for piece in others:
        name, closed, rest = piece.partition("}")
        if not closed:
            return None
        if name.startswith("!"):
            texts += ["${" + name[1:] + "}", rest]
        elif name in values:
            texts += [template.text(values[name], depth), rest]
        else:
            named = _get_att if "." in name else _ref
            texts += [template.text(named(template, name, depth), depth), rest]
    return texts


_RESOLVERS = {
    "Ref": _ref,
    "Fn::GetAtt": _get_att,
    "Fn::ImportValue": _import_value,
    "Fn::GetStackOutput": _get_stack_output,
    "Fn::Join": _join,
    "Fn::Base64": _base64,
    "Fn::Sub": _sub,
    "Fn::If": _if,
    **FUNCTIONS,
}
