"""What a deployment may choose: the values of parameters, and the outcome of comparisons.

A template is judged under several choices (`trnkit.rules.worlds`). What can be chosen is a finite
number of `Variable`s, each of one template of a set: a parameter with a list of allowed values, a
parameter that conditions compare with texts, or a comparison about which nothing else is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

from trnkit.catalog import find_instance_type
from trnkit.rules.reading.known_values import plain_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_MOST_VALUES = 16
_LONGEST = 256
_DEEPEST = 40
_OF_THE_SET = -1
PSEUDO_PARAMETERS = ("AWS::Region", "AWS::Partition", "AWS::AccountId", "AWS::StackName")


class _Other:
    """The single value `OTHER`: any that is not among those named."""

    def __repr__(self) -> str:
        return "OTHER"


OTHER: Final = _Other()
Value = str | bool | _Other


@dataclass(frozen=True, slots=True)
class Variable:
    """Something that a deployment chooses.

    Attributes:
        template: The number of the template in its set.
        name: Of the parameter; of a comparison, what is compared.
        values: What may be chosen; the first is the default, where there is one.
        has_default: Whether the first is what a deployment gets that chooses nothing.
        is_enumerated: Whether the template lists the values, and allows no others.
    """

    template: int
    name: str
    values: tuple[Value, ...]
    has_default: bool = False
    is_enumerated: bool = False

    @property
    def is_parameter(self) -> bool:
        """Whether it is a parameter, and not a comparison."""
        return self.values != (False, True)


def comparison(template: int, text: str) -> Variable:
    """The outcome of a comparison of which nothing but its text is known."""
    return Variable(template, text, (False, True))


def read_variables(body: Mapping[str, Any], template: int) -> dict[str, Variable]:
    """The parameters of a template for which more than one value is named.

    Args:
        body: The template.
        template: Its number in its set.
    """
    compared = _compared(body)
    found: dict[str, Variable] = {}
    for key, value in _mapping(body.get("Parameters")).items():
        name, parameter = str(key), _mapping(value)
        kind = str(parameter.get("Type", ""))
        if (
            kind.startswith("AWS::SSM::")
            or kind == "CommaDelimitedList"
            or kind.startswith("List<")
        ):
            continue
        values: list[Value] = list(_allowed(parameter))
        is_enumerated = bool(values)
        if not values:
            values = [text for text in compared.get(name, ()) if _fits(text, parameter, kind)]
            values += [OTHER] if values else []
        if len(values) > 1:
            default = plain_text(parameter.get("Default"))
            has_default = default is not None and (default in values or OTHER in values)
            ordered = _ordered(values, default)
            found[name] = Variable(template, name, ordered, has_default, is_enumerated)
    return found


def read_pseudo_parameters(bodies: Iterable[Mapping[str, Any]]) -> dict[str, Variable]:
    """The pseudo parameters that conditions compare; they are the same in all of a set."""
    texts: dict[str, list[Value]] = {}
    for compared in map(_compared, bodies):
        for name in PSEUDO_PARAMETERS:
            texts.setdefault(name, []).extend(compared.get(name, ()))
    return {
        name: Variable(_OF_THE_SET, name, _ordered([*dict.fromkeys(values), OTHER], None))
        for name, values in texts.items()
        if values
    }


def shared_variables(each: Sequence[Mapping[str, Variable]]) -> list[dict[str, Variable]]:
    """The variables of templates, one for all parameters of a name that take the same values.

    Who deploys several stacks gives them the same values for the same names.

    Args:
        each: The variables of each template, by the names of parameters.
    """
    by_name: dict[str, list[Variable]] = {}
    for variables in each:
        for name, variable in variables.items():
            by_name.setdefault(name, []).append(variable)
    shared = {name: _shared(found) for name, found in by_name.items() if len(found) > 1}
    return [{name: shared.get(name) or v for name, v in known.items()} for known in each]


def _shared(found: Sequence[Variable]) -> Variable | None:
    first = found[0]
    if any(variable.is_enumerated != first.is_enumerated for variable in found):
        return None
    if first.is_enumerated and any(set(v.values) != set(first.values) for v in found):
        return None
    texts = dict.fromkeys(text for v in found for text in v.values if text is not OTHER)
    values = (*first.values, *(text for text in texts if text not in first.values))
    return replace(first, template=_OF_THE_SET, values=values)


def _allowed(parameter: Mapping[str, Any]) -> list[str]:
    """Its allowed values, each once; empty when they are not all plain."""
    allowed = parameter.get("AllowedValues")
    texts = [plain_text(value) for value in _list(allowed)]
    known = [text for text in texts if text is not None and len(text) <= _LONGEST]
    return list(dict.fromkeys(known)) if len(known) == len(texts) else []


def _ordered(values: list[Value], default: str | None) -> tuple[Value, ...]:
    """The default first, then what the catalogue knows; the rest of a long list is OTHER."""
    first: Value | None = default
    if default is not None and default not in values and OTHER in values:
        first = OTHER
    ordered = sorted(values, key=lambda value: (value != first, not _is_neuron(value)))
    if len(ordered) > _MOST_VALUES:
        kept = [value for value in ordered if value is not OTHER]
        ordered = [*kept[:_MOST_VALUES], OTHER]
    return tuple(ordered)


def _is_neuron(value: Value) -> bool:
    return isinstance(value, str) and find_instance_type(value) is not None


def _fits(text: str, parameter: Mapping[str, Any], kind: str) -> bool:
    """Whether CloudFormation would take the text for the parameter, as far as that is plain."""
    if len(text) > _LONGEST:
        return False
    shortest = plain_text(parameter.get("MinLength")) or "0"
    if shortest.isdecimal() and len(shortest) < 6 and len(text) < int(shortest):
        return False
    # These must name something that exists.
    return bool(text) or not (kind.startswith("AWS::") or kind == "Number")


def _compared(body: Mapping[str, Any]) -> dict[str, list[str]]:
    """The texts with which conditions compare each parameter."""
    found: dict[str, list[str]] = {}
    for section in ("Conditions", "Rules"):
        for left, right in _comparisons(body.get(section), 0):
            for one, other in ((left, right), (right, left)):
                name, text = _mapping(one).get("Ref"), plain_text(other)
                if isinstance(name, str) and text is not None and len(found.get(name, ())) < 64:
                    known = found.setdefault(name, [])
                    known += [text] if text not in known else []
    return found


def _comparisons(node: Any, depth: int) -> Iterator[tuple[Any, Any]]:
    """What stands on both sides of each comparison below a node."""
    if depth > _DEEPEST:
        return
    if isinstance(node, Mapping):
        for key, value in cast("Mapping[Any, Any]", node).items():
            sides = _list(value)
            if key == "Fn::Equals" and len(sides) == 2:
                yield sides[0], sides[1]
            elif key == "Fn::Contains" and len(sides) == 2:
                yield from ((item, sides[1]) for item in _list(sides[0]))
            yield from _comparisons(value, depth + 1)
    for item in _list(node):
        yield from _comparisons(item, depth + 1)


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
