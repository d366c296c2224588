"""The parameters of a template: what they certainly are, and what their defaults make of them.

A default is a proposal: every deployment may pass something else. Rules are therefore run with the
parameters `UNKNOWN`, or chosen among allowed values, which gives what is certain, and once more
with the defaults for values, which gives warnings (`engine.check_templates`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from trnkit.rules.reading.known_values import UNKNOWN, plain_text
from trnkit.rules.reading.shared_values import stored_value

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Template

_DEEPEST = 20
_LONGEST = 4096
"""CloudFormation takes no longer value."""
_STORED_TEXT = "AWS::SSM::Parameter::Value<String>"
_TO_BE_REPLACED = re.compile(
    r"change|replace|insert|fill|enter|set[-_ ]?me|placeholder|dummy|todo|tbd|fixme|example"
    r"|your?[-_ ]|<.*>|\.\.\.|…|x{3,}|\?{2,}"
    r"|^\W*$|^(none|null|nil|n/?a|undefined|unset|unknown|default|auto)$|^[a-z]+-0+$|^0{8,}$",
    re.IGNORECASE,
)
"""What people write where a value must be passed in any case."""


def parameter_value(template: Template, name: str, *, with_default: bool) -> Any:
    """The value of a parameter.

    Args:
        template: Its template.
        name: Its name.
        with_default: Whether to take its default for its value.

    Returns:
        Its value; UNKNOWN when it may be anything. One with a single allowed value is that value;
        one with several is what is chosen.
    """
    parameter = _mapping(_mapping(template.body.get("Parameters")).get(name))
    kind = str(parameter.get("Type", ""))
    if kind.startswith("AWS::SSM::"):
        return _stored(template, parameter) if with_default else UNKNOWN
    is_list = kind == "CommaDelimitedList" or kind.startswith("List<")
    allowed = parameter.get("AllowedValues")
    if isinstance(allowed, list) and allowed and not is_list:
        first, *others = cast("list[Any]", allowed)
        if all(other == first for other in others):
            return first if plain_text(first) else UNKNOWN
    default = _default(parameter, is_list=is_list) if with_default else UNKNOWN
    return _chosen(template, name) if default is UNKNOWN else default


def given_value(template: Template, name: str) -> Any:
    """What the parent of a nested stack makes of a parameter: what it gives, or the default."""
    stack = template.nested_in()
    given = _mapping(stack.get("Parameters")) if stack is not None else {}
    parameter = _mapping(_mapping(template.body.get("Parameters")).get(name))
    kind = str(parameter.get("Type", ""))
    if stack is None or kind.startswith("AWS::SSM::"):
        return UNKNOWN
    value = stack.template.resolve(given[name]) if name in given else parameter.get("Default")
    is_list = kind == "CommaDelimitedList" or kind.startswith("List<")
    if is_list and isinstance(value, str):
        return [part.strip() for part in value.split(",")]
    return UNKNOWN if value is None else value


def parameter_of(template: Template, raw: Any) -> tuple[Template, str]:
    """The parameter that a `Ref` is: that of the parent, when a nested stack is given one.

    Returns:
        The template and the name; an empty name when it is anything else.
    """
    owner, value = template, raw
    for _ in range(_DEEPEST):
        name = _mapping(value).get("Ref")
        if len(_mapping(value)) != 1 or not isinstance(name, str):
            break
        stack = owner.nested_in()
        given = _mapping(stack.get("Parameters")) if stack is not None else {}
        if stack is None or name not in given:
            return owner, name
        owner, value = stack.template, given[name]
    return template, ""


def _stored(template: Template, parameter: Mapping[str, Any]) -> Any:
    """What stands in the Systems Manager parameter whose name is the default."""
    name = plain_text(parameter.get("Default"))
    if name is None or str(parameter.get("Type")) != _STORED_TEXT:
        return UNKNOWN
    return stored_value(template.stack_set, name, template.region, 0)


def _default(parameter: Mapping[str, Any], *, is_list: bool) -> Any:
    default = plain_text(parameter.get("Default"))
    if default is None or len(default) > _LONGEST:
        return UNKNOWN
    parts = [part.strip() for part in default.split(",")] if is_list else [default]
    if any(_TO_BE_REPLACED.search(part) for part in parts):
        return UNKNOWN
    return parts if is_list else parameter["Default"]


def _chosen(template: Template, name: str) -> Any:
    """What is chosen of allowed values, or of those that conditions ask for."""
    variable = template.variables.get(name)
    if variable is None:
        return UNKNOWN
    # Only a list of allowed values is worth a choice: of others, a text alone is known.
    choose = template.stack_set.choose if variable.is_enumerated else template.stack_set.chosen
    value = choose(variable)
    return value if isinstance(value, str) and value else UNKNOWN


def assumed_default(template: Template, name: str) -> str | None:
    """The default that conditions compare, where defaults are assumed; None otherwise.

    Also one that is empty or to be replaced: it is no value for a property, but it is what
    `Fn::Equals: [{Ref: Name}, ""]` asks for.
    """
    if not template.stack_set.assumes_defaults:
        return None
    return plain_text(_mapping(_mapping(template.body.get("Parameters")).get(name)).get("Default"))


def has_defaults(template: Template) -> bool:
    """Whether any parameter has a default that is taken for a value."""
    if template.parent is not None:
        return False
    names = map(str, _mapping(template.body.get("Parameters")))
    return any(
        parameter_value(template, name, with_default=False) is UNKNOWN
        and parameter_value(template, name, with_default=True) is not UNKNOWN
        for name in names
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
