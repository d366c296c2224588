"""CloudFormation templates as rules see them: values resolved as far as they can be known offline.

Several templates are judged together, because what one exports another imports: a launch template's
security group usually lives in the network stack's template.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from trnkit.rules.reading.choices import (
    Variable,
    read_pseudo_parameters,
    read_variables,
    shared_variables,
)
from trnkit.rules.reading.conditions import evaluate_condition
from trnkit.rules.reading.intrinsics import MAX_DEPTH, evaluate, function_name
from trnkit.rules.reading.known_values import UNKNOWN, Reference, is_endless, plain_text
from trnkit.rules.reading.loops import Loops
from trnkit.rules.reading.nested_stacks import NESTED_STACK, with_nested_stacks
from trnkit.rules.reading.parameters import has_defaults
from trnkit.rules.reading.recording import Recorder
from trnkit.rules.reading.shared_values import find_exports, stored_value
from trnkit.rules.reading.transforms import Transforms, read_transforms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from trnkit.rules.reading.choices import Value

__all__ = ["UNKNOWN", "Reference", "Resource", "StackSet", "Template"]

T = TypeVar("T")

_LONGEST = 1_000_000
"""No text is longer: CloudFormation takes templates of at most 1 MB."""
_TEXT_IN_ALL = 200_000_000
"""Characters that are put together for one set; what goes beyond is a trap for linters."""
_DYNAMIC = "{{resolve:"
_SSM = re.compile(r"\{\{resolve:ssm:([A-Za-z0-9_./-]{1,1011})\}\}")
_AS_WRITTEN = Transforms(is_whole=True, is_literal=True)


@dataclass(eq=False, slots=True)
class Resource:
    """One resource of a template.

    Attributes:
        template: Where it stands.
        logical_id: Its key under `Resources`.
        type: Its CloudFormation type.
        body: The whole entry, unresolved.
        place: Where it is written in the template, when that is not below `Resources`, by its
            logical id: in a loop.
    """

    template: Template
    logical_id: str
    type: str
    body: Mapping[str, Any]
    place: tuple[str | int, ...] = ()

    @property
    def condition(self) -> str | None:
        """The name of the condition under which alone it is made."""
        value = self.body.get("Condition")
        return value if isinstance(value, str) else None

    @property
    def is_made(self) -> bool | None:
        """Whether a deployment makes it; None when that depends on what is not chosen."""
        condition = self.condition
        own = True if condition is None else self.template.condition(condition)
        stack = self.template.nested_in() if self.template.parent else None
        outer = True if stack is None or own is False else stack.is_made
        return own if outer else outer

    @property
    def properties(self) -> Mapping[str, Any]:
        """Its `Properties`, unresolved; empty when absent or not a mapping."""
        return _mapping(self.body.get("Properties"))

    def get(self, *path: str | int, default: Any = None) -> Any:
        """The resolved value below `Properties`, e.g. `get("Tags", 0, "Key")`.

        Returns:
            Plain values, a `Reference`, `UNKNOWN`, or `default` when it is absent (also
            `AWS::NoValue`). Lists and mappings are resolved one level at a time by further calls or
            by `resolve`.
        """
        value: Any = self.properties
        for part in path:
            value = self.resolve(value)
            if value is UNKNOWN:
                return UNKNOWN
            try:
                value = value[part]
            except (KeyError, IndexError, TypeError):
                return default
        value = self.resolve(value)
        return default if value is None else value

    def resolve(self, value: Any) -> Any:
        """Resolve one value of this resource's template; see `Template.resolve`."""
        return self.template.resolve(value)

    def items(self, *path: str | int) -> list[Any] | None:
        """A list below `Properties`, each item resolved; None when absent or not known.

        A single value where a list is expected counts as a list of one, as CloudFormation has it.
        """
        value = self.get(*path)
        if value is None or value is UNKNOWN:
            return None
        values: list[Any] = value if isinstance(value, list) else [value]
        return [self.resolve(item) for item in values]


@dataclass(eq=False, slots=True)
class Template:
    """One template.

    Attributes:
        name: Name of the stack, or of the file.
        path: The file, as named in reports.
        body: The parsed template, its loops written out.
        region: Region it is for, where known.
        number: Its place in the set.
        parent: The number of the template that nests it, and the logical id of its stack there.
        stack_set: The templates it is judged with.
        written: The template as it is written.
        resources: Its resources by logical id.
        variables: What a deployment may choose, by the names of parameters.
        transforms: What is known of its macros.
        resolved: The functions evaluated so far, by identity, each with its value, and what that
            depends on.
    """

    name: str
    path: str
    body: Mapping[str, Any]
    region: str | None = None
    number: int = 0
    parent: tuple[int, str] | None = None
    stack_set: StackSet = field(default_factory=lambda: StackSet(()))
    written: Mapping[str, Any] = field(default_factory=dict[str, Any])
    resources: dict[str, Resource] = field(default_factory=dict[str, Resource])
    variables: dict[str, Variable] = field(default_factory=dict[str, Variable])
    transforms: Transforms = _AS_WRITTEN
    resolved: dict[int, tuple[Any, Any, Any]] = field(
        default_factory=dict[int, tuple[Any, Any, Any]]
    )

    def __post_init__(self) -> None:
        """Keep what is written, and collect the resources that stand there."""
        self.written = self.body
        self._collect({})

    def join(self, stack_set: StackSet, number: int) -> None:
        """Become one of a set of templates, and write loops out with what is chosen there."""
        self.stack_set, self.number = stack_set, number
        self.resolved.clear()
        self.transforms = read_transforms(self.written)
        if self.transforms.may_loop:
            loops = Loops(self)
            self.body = loops.body
            self.transforms = self.transforms.with_loops(is_complete=loops.is_complete)
            self.resolved.clear()
            self._collect(loops.places)

    def _collect(self, places: Mapping[str, tuple[str | int, ...]]) -> None:
        """The resources; entries that are none are left to schema checkers."""
        self.resources.clear()
        for key, body in _mapping(self.body.get("Resources")).items():
            kind, logical_id = _mapping(body).get("Type"), str(key)
            if isinstance(kind, str):
                place = places.get(logical_id, ())
                self.resources[logical_id] = Resource(self, logical_id, kind, body, place)

    def copy(self) -> Template:
        """The template for another set, with the same place in it."""
        copy = Template(self.name, self.path, self.written, self.region, self.number, self.parent)
        copy.variables = self.variables
        return copy

    def condition(self, name: str, depth: int = 0) -> bool | None:
        """Whether a condition holds; None when it is not known, or depends on a choice."""
        recorder = self.stack_set.recorder
        key = ("condition", self.number, name)
        if recorder.is_being_made(key):
            return None
        return recorder.remember(key, lambda: evaluate_condition(self, name, depth))

    def nested_in(self) -> Resource | None:
        """The `AWS::CloudFormation::Stack` of the set that this template is for."""
        if self.parent is None:
            return None
        number, logical_id = self.parent
        return self.stack_set.templates[number].resources.get(logical_id)

    def resolve(self, value: Any, depth: int = 0) -> Any:
        """Resolve one level: an intrinsic becomes what it stands for, anything else stays.

        Returns:
            Plain values as they are; a `Reference` for `Ref`/`Fn::GetAtt` of a resource; a
            parameter's value, as far as it is chosen; the branch of `Fn::If` whose condition is
            known; text for `Fn::Join`, `Fn::Sub` and `Fn::Base64` whose parts are all known; the
            exporting stack's value for `Fn::ImportValue` and `Fn::GetStackOutput`; None for
            `AWS::NoValue`; `UNKNOWN` for everything else.
        """
        if isinstance(value, str):
            return self._dynamic(value, depth) if _DYNAMIC in value else value
        name = function_name(value)
        if name is None:
            return UNKNOWN if is_endless(value) else value
        recorder = self.stack_set.recorder
        known = self.resolved.get(id(value))
        if known is not None:
            recorder.note(known[2])
            return known[1]
        if depth > MAX_DEPTH:
            return UNKNOWN
        argument = next(iter(value.values()))
        recorder.begin()
        result = evaluate(self, name, argument, depth + 1)
        # Kept with the value itself, whose identity is its own as long as it lives.
        self.resolved[id(value)] = (value, result, recorder.end())
        return result

    def _dynamic(self, text: str, depth: int) -> Any:
        """What `{{resolve:ssm:name}}` stands for, where a template of the set makes it."""
        found = _SSM.fullmatch(text)
        return stored_value(self.stack_set, found[1], self.region, depth) if found else UNKNOWN

    def chosen(self, raw: Any) -> Any:
        """The branch that `Fn::If` takes, as it is written; anything else as it is."""
        for _ in range(MAX_DEPTH):
            branch = self.branch_of(raw) if isinstance(raw, dict) else None
            if branch is None:
                break
            raw = raw["Fn::If"][branch]
        return raw

    def branch_of(self, raw: Any) -> int | None:
        """Which argument of `Fn::If` is taken; None when not known, or when it is none."""
        arguments = raw.get("Fn::If") if isinstance(raw, dict) else None
        if not isinstance(arguments, list) or len(arguments) != 3 or len(raw) != 1:
            return None
        if not isinstance(arguments[0], str):
            return None
        holds = self.condition(arguments[0])
        return None if holds is None else 1 if holds else 2

    def text(self, value: Any, depth: int = 0) -> str | None:
        """The value as text when it is wholly known, else None."""
        return plain_text(self.resolve(value, depth))

    def output(self, name: str, depth: int = 0) -> Any:
        """The resolved value of an output; UNKNOWN when there is none, or it contains itself."""
        entry = _mapping(_mapping(self.body.get("Outputs")).get(name))
        if "Value" not in entry:
            return UNKNOWN
        return self.stack_set.resolve_once(
            (self.number, "output", name), self, entry["Value"], depth
        )


class StackSet:
    """Templates that are judged together.

    Attributes:
        templates: The templates; one that is nested stands here once for each stack of it.
        assumes_defaults: Whether parameters have their defaults for values, and not UNKNOWN.
        world: What a deployment has chosen.
        completes: Whether it chooses the first value of what it has not chosen.
        recorder: What was asked for that it has not chosen.
        exports: The outputs that are exported, by name.
    """

    def __init__(self, templates: Iterable[Template], *, assumes_defaults: bool = False) -> None:
        """Take the templates over: each now resolves imports through this set."""
        listed = with_nested_stacks(tuple(templates))
        shared = read_pseudo_parameters(template.written for template in listed)
        # What a nested stack is given, its parent chooses; the rest has its default.
        own = [
            {} if template.parent else read_variables(template.written, number)
            for number, template in enumerate(listed)
        ]
        for template, variables in zip(listed, shared_variables(own), strict=True):
            template.variables = {**variables, **shared}
        self._take(listed, assumes_defaults=assumes_defaults, world={}, completes=False)

    def _take(
        self,
        templates: tuple[Template, ...],
        *,
        assumes_defaults: bool,
        world: Mapping[Variable, Value],
        completes: bool,
    ) -> None:
        self.templates = templates
        self.assumes_defaults, self.world, self.completes = assumes_defaults, world, completes
        self.recorder = Recorder()
        self._text_left = _TEXT_IN_ALL
        self._being_resolved: set[object] = set()
        self._by_type: dict[str, list[Resource]] = {}
        self._children = {t.parent: t for t in templates if t.parent is not None}
        for number, template in enumerate(templates):
            template.join(self, number)
        for template in templates:
            for resource in template.resources.values():
                self._by_type.setdefault(resource.type, []).append(resource)
        self.exports = find_exports(templates)

    def with_defaults(self) -> StackSet | None:
        """The same templates with their parameters' defaults; None when these add nothing."""
        if not any(has_defaults(template) for template in self.templates):
            return None
        return self._copy(assumes_defaults=True, world={}, completes=False)

    def in_world(self, world: Mapping[Variable, Value], *, completes: bool = False) -> StackSet:
        """The same templates, after a deployment has chosen."""
        return self._copy(assumes_defaults=self.assumes_defaults, world=world, completes=completes)

    def _copy(
        self, *, assumes_defaults: bool, world: Mapping[Variable, Value], completes: bool
    ) -> StackSet:
        copy = object.__new__(StackSet)
        copy._take(
            tuple(template.copy() for template in self.templates),
            assumes_defaults=assumes_defaults,
            world=world,
            completes=completes,
        )
        return copy

    def chosen(self, variable: Variable) -> Value | None:
        """What is chosen for a variable; None when nothing is."""
        value = self.world.get(variable)
        return variable.values[0] if value is None and self.completes else value

    def choose(self, variable: Variable) -> Value | None:
        """What is chosen for a variable; when nothing is, it is remembered who asked."""
        value = self.chosen(variable)
        if value is None:
            self.recorder.note((variable,))
        return value

    def derive(self, make: Callable[[StackSet], T]) -> T:
        """What a function makes of the set, made once however many rules ask for it."""
        return self.recorder.remember(make, lambda: make(self))

    def affords(self, characters: int) -> bool:
        """Whether a text may be put together: neither it nor all of them are beyond measure."""
        self._text_left -= characters
        return characters <= _LONGEST and self._text_left >= 0

    def resources(self, *types: str) -> Iterator[Resource]:
        """All resources that are made, or those of the given CloudFormation types.

        One whose condition is not known is among them.
        """
        for kind in types or tuple(self._by_type):
            for resource in self._by_type.get(kind, ()):
                if resource.is_made is not False:
                    yield resource

    def resolve_once(self, key: object, template: Template, value: Any, depth: int) -> Any:
        """Resolve a value that others refer to by `key`; UNKNOWN from within itself."""
        return self.guarded(key, lambda: template.resolve(value, depth))

    def guarded(self, key: object, resolve: Callable[[], Any]) -> Any:
        """Resolve what others refer to by `key`; UNKNOWN from within itself."""
        if key in self._being_resolved:
            return UNKNOWN
        self._being_resolved.add(key)
        try:
            return resolve()
        finally:
            self._being_resolved.discard(key)

    def template(self, name: str) -> Template | None:
        """The template of the one stack with that name."""
        found = [template for template in self.templates if template.name == name]
        return found[0] if len(found) == 1 else None

    def nested(self, stack: Resource) -> Template | None:
        """The template of a nested stack, when it is in the set."""
        if stack.type != NESTED_STACK:
            return None
        return self._children.get((stack.template.number, stack.logical_id))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
