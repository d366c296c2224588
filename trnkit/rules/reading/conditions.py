"""CloudFormation's conditions and rules: true, false, or a matter of what a deployment chooses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from trnkit.rules.reading.choices import Variable, comparison
from trnkit.rules.reading.known_values import plain_text
from trnkit.rules.reading.parameters import assumed_default, parameter_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from trnkit.rules.stack_set import Template

_DEEPEST = 40
_LONGEST = 2_000


def evaluate_condition(template: Template, name: str, depth: int = 0) -> bool | None:
    """Whether a condition of a template holds.

    Returns:
        None when that is not known: there is no such condition, it contains itself, or it depends
        on something that has not been chosen (which the set of the template then remembers).
    """
    expression = _mapping(template.body.get("Conditions")).get(name)
    if expression is None:
        return None
    return evaluate_expression(template, expression, depth + 1)


def evaluate_expression(template: Template, expression: Any, depth: int = 0) -> bool | None:
    """Whether what stands in `Conditions` or in an assertion holds; None when not known."""
    mapping = _mapping(expression)
    if len(mapping) != 1 or depth > _DEEPEST:
        return None
    function, argument = next(iter(mapping.items()))
    if function == "Condition":
        return template.condition(argument, depth) if isinstance(argument, str) else None
    evaluator = _FUNCTIONS.get(str(function))
    arguments = _list(argument)
    return evaluator(template, arguments, depth + 1) if evaluator and arguments else None


def breaks_a_rule(template: Template) -> bool:
    """Whether an assertion of its `Rules` certainly refuses what has been chosen."""
    for rule in _mapping(template.body.get("Rules")).values():
        applies = _mapping(rule).get("RuleCondition")
        if applies is not None and evaluate_expression(template, applies) is not True:
            continue
        for assertion in _list(_mapping(rule).get("Assertions")):
            if evaluate_expression(template, _mapping(assertion).get("Assert")) is False:
                return True
    return False


def _all(template: Template, arguments: list[Any], depth: int) -> bool | None:
    found = [evaluate_expression(template, argument, depth) for argument in arguments]
    return False if False in found else None if None in found else True


def _any(template: Template, arguments: list[Any], depth: int) -> bool | None:
    found = [evaluate_expression(template, argument, depth) for argument in arguments]
    return True if True in found else None if None in found else False


def _not(template: Template, arguments: list[Any], depth: int) -> bool | None:
    found = evaluate_expression(template, arguments[0], depth) if len(arguments) == 1 else None
    return None if found is None else not found


def _equals(template: Template, arguments: list[Any], depth: int) -> bool | None:
    return _same(template, arguments[0], arguments[1], depth) if len(arguments) == 2 else None


def _contains(template: Template, arguments: list[Any], depth: int) -> bool | None:
    if len(arguments) != 2:
        return None
    listed = template.resolve(arguments[0], depth)
    if not isinstance(listed, list):
        return None
    found = [_same(template, item, arguments[1], depth) for item in _list(listed)]
    return True if True in found else None if None in found else False


def _same(template: Template, left: Any, right: Any, depth: int) -> bool | None:
    """Whether two values are the same text."""
    if depth > _DEEPEST:
        return None
    with template.stack_set.recorder.recording() as consulted:
        one, other = _operand(template, left, depth), _operand(template, right, depth)
    if isinstance(one, str) and isinstance(other, str):
        return one == other
    for variable, text in ((one, other), (other, one)):
        if isinstance(variable, Variable) and isinstance(text, str) and text in variable.values:
            chosen = template.stack_set.choose(variable)
            return None if chosen is None else chosen == text
    if consulted:
        return None
    sides = sorted(json.dumps(side, default=str) for side in (left, right))
    about = " = ".join(sides)
    if len(about) > _LONGEST:
        return None
    outcome = template.stack_set.choose(comparison(template.number, about))
    return sides[0] == sides[1] or (outcome if isinstance(outcome, bool) else None)


def _operand(template: Template, raw: Any, depth: int) -> str | Variable | None:
    """One side of a comparison: its text, the variable that it is, or None."""
    owner, name = parameter_of(template, raw)
    variable = owner.variables.get(name)
    if variable is None or (name == "AWS::Region" and owner.region):
        return plain_text(template.resolve(raw, depth))
    default = assumed_default(owner, name)
    if default is not None:
        return default
    chosen = template.stack_set.chosen(variable)
    return chosen if isinstance(chosen, str) else variable


_FUNCTIONS: dict[str, Callable[[Template, list[Any], int], bool | None]] = {
    "Fn::And": _all,
    "Fn::Or": _any,
    "Fn::Not": _not,
    "Fn::Equals": _equals,
    "Fn::Contains": _contains,
}


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
