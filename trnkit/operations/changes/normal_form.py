"""A template's values in a form in which equal things look equal.

`!Sub` and `Fn::Join` that give the same text are the same, and so are `"16"` and `16`, a `Ref` in
its long and its short spelling, and a parameter and the value that is its default. What only a
deployment knows stays a symbol: equal to the same symbol, different from everything else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from trnkit.config.yaml_reader import unreadable
from trnkit.operations.changes.opaque import is_made_by_macro
from trnkit.rules.reading.intrinsics import function_name
from trnkit.rules.reading.known_values import plain_text
from trnkit.rules.reading.template_walk import entries_within

if TYPE_CHECKING:
    from trnkit.rules.stack_set import Template

Form = Any
"""Text, a list or dict of forms, or one of the classes below; None for what is absent."""

_MAX_DEPTH = 100
_MAX_VALUES = 1_000_000
"""More than a template of CloudFormation's largest size has; what has more is a trap."""
_LONGEST_CONDITION = 1_000
"""Characters of a condition that is written out; conditions in conditions double with each step."""
_UNRESOLVED = "AWS::SSM::"

ANYTHING = "(anything)"
"""In place of a logical id or an attribute that only a deployment knows."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A `Ref` of a resource, or a `Fn::GetAtt` when it has an attribute."""

    logical_id: str
    attribute: str | None = None


@dataclass(frozen=True, slots=True)
class OutputReference:
    """A `Fn::GetStackOutput`: the value of another stack's output when this one is deployed."""

    stack: str
    output: str


@dataclass(frozen=True, slots=True)
class Text:
    """Text with symbols in it: what `Fn::Join` and `Fn::Sub` make."""

    parts: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function or pseudo parameter that only a deployment can evaluate."""

    name: str
    argument: Form = None


class TooDeep:
    """A value nested too deeply to look at; equal to nothing."""

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return id(self)


class Normalizer:
    """Brings values of one template into their normal form."""

    def __init__(self, template: Template) -> None:
        """Take the template whose parameters, mappings and conditions the values mean."""
        self._template = template
        self._left = _MAX_VALUES
        self._conditions: dict[str, Form] = {}

    def form(self, value: Any, depth: int = 0) -> Form:
        """The normal form of a value.

        Raises:
            UnreadableInputError: The template expands to more than can be looked at.
        """
        self._left -= 1
        if self._left < 0:
            raise unreadable(
                self._template.path,
                f"written out it has more than {_MAX_VALUES:,} values",
                "look up fewer values in large mappings by keys that only a deployment knows",
            )
        if depth > _MAX_DEPTH:
            return TooDeep()
        text = plain_text(value)
        if text is not None:
            return text
        name = function_name(value)
        if name is not None:
            return self._function(name, next(iter(value.values())), depth + 1)
        if isinstance(value, Mapping):
            forms = {str(k): self.form(v, depth + 1) for k, v in value.items()}
            return {key: forms[key] for key in sorted(forms) if forms[key] is not None}
        if isinstance(value, list):
            forms = [self.form(item, depth + 1) for item in cast("list[Any]", value)]
            return [form for form in forms if form is not None]
        return None if value is None else Call(type(value).__name__, str(value))

    def _function(self, name: str, argument: Any, depth: int) -> Form:
        if name == "Ref":
            # With AWS::LanguageExtensions a function may stand for the name.
            target = self.form(argument, depth)
            return self._ref(target, depth) if isinstance(target, str) else Call("Ref", target)
        if name == "Fn::GetAtt":
            return self._attribute(argument, depth)
        if name == "Fn::Sub":
            return self._sub(argument, depth)
        if name == "Fn::Join":
            return self._join(argument, depth)
        if name == "Fn::If" and isinstance(argument, list) and len(argument) == 3:
            return self._if(cast("list[Any]", argument), depth)
        if name == "Condition" and isinstance(argument, str):
            return self.condition(argument)
        if name == "Fn::FindInMap":
            return self._find_in_map(argument, depth)
        form = self.form(argument, depth)
        if name == "Fn::GetStackOutput" and isinstance(form, dict):
            stack, output = form.get("StackName"), form.get("OutputName")
            if isinstance(stack, str) and isinstance(output, str):
                return OutputReference(stack, output)
        return Call(name, form)

    def condition(self, name: str) -> Form:
        """The definition of a condition, since its name alone says nothing."""
        if name in self._definitions() and name not in self._conditions:
            self._define(name)
        return self._conditions.get(name, Call("Condition", name))

    def _definitions(self) -> Mapping[str, Any]:
        conditions = self._template.body.get("Conditions")
        return cast("Mapping[str, Any]", conditions) if isinstance(conditions, Mapping) else {}

    def _define(self, name: str) -> None:
        """Look at a condition after those that it names, so that each is looked at once."""
        waiting = {name: self._begun(name)}
        while waiting:
            name, inner = next(reversed(waiting.items()))
            following = next(inner, None)
            if following is not None:
                waiting[following] = self._begun(following)
                continue
            form = self.form(self._definitions()[name])
            text = key_of(form)
            if len(text) > _LONGEST_CONDITION:
                form = Call("Condition", hashlib.sha256(text.encode()).hexdigest())
            self._conditions[name] = form
            del waiting[name]

    def _begun(self, name: str) -> Iterator[str]:
        """The conditions that one names and that were not looked at before."""
        definitions = self._definitions()
        # For those that contain it: a circle ends here.
        self._conditions[name] = Call("Condition", name)
        for _, key, value in entries_within(definitions[name]):
            found = value[0] if key == "Fn::If" and isinstance(value, list) and value else value
            if key not in ("Condition", "Fn::If") or not isinstance(found, str):
                continue
            if found in definitions and found not in self._conditions:
                yield found

    def _ref(self, name: str, depth: int) -> Form:
        if name == "AWS::NoValue":
            return None
        if name == "AWS::Region" and self._template.region:
            return self._template.region
        if name in self._template.resources:
            return Reference(name)
        parameters = self._template.body.get("Parameters")
        parameter: Any = parameters.get(name) if isinstance(parameters, Mapping) else None
        if not isinstance(parameter, Mapping):
            return Reference(name) if self._is_of_macro(name) else Call(name)
        kind = str(parameter.get("Type", ""))
        default = plain_text(parameter.get("Default"))
        if kind.startswith(_UNRESOLVED):
            return Call(kind, default or name)
        if default is None:
            return Call("Parameter", name)
        if kind == "CommaDelimitedList" or kind.startswith("List<"):
            return [part.strip() for part in default.split(",")]
        return default

    def _is_of_macro(self, name: str) -> bool:
        """Whether a name begins like that of a resource in whose place others are made."""
        return any(
            name.startswith(logical_id) and is_made_by_macro(resource.type)
            for logical_id, resource in self._template.resources.items()
        )

    def _attribute(self, argument: Any, depth: int) -> Form:
        parts = argument.split(".", 1) if isinstance(argument, str) else argument
        if isinstance(parts, list) and len(parts) == 2:
            logical_id, attribute = (self.form(part, depth) for part in cast("list[Any]", parts))
            if isinstance(logical_id, str) and isinstance(attribute, str):
                return Reference(logical_id, attribute)
        return Call("Fn::GetAtt", self.form(argument, depth))

    def _sub(self, argument: Any, depth: int) -> Form:
        pattern, values = argument, cast("Mapping[str, Any]", {})
        if isinstance(argument, list) and len(argument) == 2:
            pattern, given = cast("list[Any]", argument)
            values = cast("Mapping[str, Any]", given) if isinstance(given, Mapping) else {}
        if not isinstance(pattern, str):
            return Call("Fn::Sub", self.form(argument, depth))
        first, *pieces = pattern.split("${")
        parts: list[Form] = [first]
        for piece in pieces:
            name, closed, rest = piece.partition("}")
            if not closed:
                return Call("Fn::Sub", self.form(argument, depth))
            if name.startswith("!"):
                parts.append("${" + name[1:] + "}")
            elif name in values:
                parts.append(self.form(values[name], depth))
            elif "." in name:
                parts.append(self._attribute(name, depth))
            else:
                parts.append(self._ref(name, depth))
            parts.append(rest)
        return _text(parts)

    def _join(self, argument: Any, depth: int) -> Form:
        if isinstance(argument, list) and len(argument) == 2:
            separator, items = cast("list[Any]", argument)
            parts = self.form(items, depth)
            if isinstance(separator, str) and isinstance(parts, list):
                between: list[Form] = []
                for part in cast("list[Form]", parts):
                    between += [separator, part]
                return _text(between[1:])
        return Call("Fn::Join", self.form(argument, depth))

    def _if(self, argument: list[Any], depth: int) -> Form:
        condition, when, otherwise = argument
        true, false = self.form(when, depth), self.form(otherwise, depth)
        if true == false:
            return true
        named = isinstance(condition, str)
        test = self.condition(condition) if named else self.form(condition, depth)
        return Call("Fn::If", [test, true, false])

    def _find_in_map(self, argument: Any, depth: int) -> Form:
        forms = self.form(argument, depth)
        value: Any = self._template.body.get("Mappings")
        if isinstance(forms, list) and len(forms) >= 3:
            for key in cast("list[Form]", forms)[:3]:
                if not isinstance(key, str) or not isinstance(value, Mapping) or key not in value:
                    # The rest of the mapping stands for the value, so that its changes show.
                    return Call("Fn::FindInMap", [forms, self.form(value, depth)])
                value = value[key]
            return self.form(value, depth)
        return Call("Fn::FindInMap", forms)


def _text(parts: list[Form]) -> Form:
    """Neighbouring texts as one; a single part as itself."""
    merged: list[Form] = []
    for part in parts:
        pieces = part.parts if isinstance(part, Text) else (part,)
        for piece in pieces:
            if isinstance(piece, str) and merged and isinstance(merged[-1], str):
                merged[-1] += piece
            elif piece not in ("", None):
                merged.append(piece)
    if not merged:
        return ""
    return merged[0] if len(merged) == 1 else Text(tuple(merged))


def references(form: Form) -> Iterator[Reference | OutputReference]:
    """The resources of its own template, and the outputs of others, that a value depends on."""
    if isinstance(form, Reference | OutputReference):
        yield form
    if isinstance(form, Call) and form.name in ("Ref", "Fn::GetAtt"):
        yield _target(form.argument)
    for _, child in children(form):
        yield from references(child)


def _target(argument: Form) -> Reference:
    """What a reference leads to whose name or attribute a deployment makes."""
    if isinstance(argument, list) and argument and isinstance(argument[0], str):
        return Reference(argument[0], ANYTHING)
    return Reference(ANYTHING)


def children(form: Form) -> Iterator[tuple[str | int, Form]]:
    """The values inside a value, with the key or the place of each."""
    if isinstance(form, dict):
        yield from cast("dict[str, Form]", form).items()
    elif isinstance(form, list):
        yield from enumerate(cast("list[Form]", form))
    elif isinstance(form, Text):
        yield from enumerate(form.parts)
    elif isinstance(form, Call):
        yield form.name, form.argument


def key_of(form: Form) -> str:
    """Text that is the same for the same value only."""
    return repr(form)
