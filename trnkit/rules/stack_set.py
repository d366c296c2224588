"""CloudFormation templates as rules see them: values resolved as far as they can be known offline.

Several templates are judged together, because what one exports another imports: a launch template's
security group usually lives in the network stack's template.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from trnkit.rules.reading.intrinsics import MAX_DEPTH, evaluate, function_name
from trnkit.rules.reading.known_values import UNKNOWN, Reference, is_endless, plain_text
from trnkit.rules.reading.parameters import has_defaults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["UNKNOWN", "Reference", "Resource", "StackSet", "Template"]

T = TypeVar("T")

_LONGEST = 1_000_000
"""No text is longer: CloudFormation takes templates of at most 1 MB."""
_TEXT_IN_ALL = 200_000_000
"""Characters that are put together for one set; what goes beyond is a trap for linters."""
_DYNAMIC = "{{resolve:"


@dataclass(eq=False, slots=True)
class Resource:
    """One resource of a template.

    Attributes:
        template: Where it stands.
        logical_id: Its key under `Resources`.
        type: Its CloudFormation type.
        body: The whole entry, unresolved.
    """

    template: Template
    logical_id: str
    type: str
    body: Mapping[str, Any]

    @property
    def condition(self) -> str | None:
        """The name of the condition under which alone it is made."""
        value = self.body.get("Condition")
        return value if isinstance(value, str) else None

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
        body: The parsed template.
        region: Region it is for, where known.
        stack_set: The templates it is judged with.
        resources: Its resources by logical id.
        resolved: The functions evaluated so far, by identity, each with its value.
    """

    name: str
    path: str
    body: Mapping[str, Any]
    region: str | None = None
    stack_set: StackSet = field(default_factory=lambda: StackSet(()))
    resources: dict[str, Resource] = field(default_factory=dict[str, Resource])
    resolved: dict[int, tuple[Any, Any]] = field(default_factory=dict[int, tuple[Any, Any]])

    def __post_init__(self) -> None:
        """Collect the resources; entries that are no resources are left to schema checkers."""
        for logical_id, body in _mapping(self.body.get("Resources")).items():
            kind = _mapping(body).get("Type")
            if isinstance(kind, str):
                self.resources[logical_id] = Resource(self, str(logical_id), kind, body)

    def resolve(self, value: Any, depth: int = 0) -> Any:
        """Resolve one level: an intrinsic becomes what it stands for, anything else stays.

        Returns:
            Plain values as they are; a `Reference` for `Ref`/`Fn::GetAtt` of a resource; a
            parameter's default; text for `Fn::Join`, `Fn::Sub` and `Fn::Base64` whose parts are all
            known; the exporting stack's value for `Fn::ImportValue` and `Fn::GetStackOutput`; None
            for `AWS::NoValue`; `UNKNOWN` for everything else.
        """
        if isinstance(value, str):
            return UNKNOWN if _DYNAMIC in value else value
        name = function_name(value)
        if name is None:
            return UNKNOWN if is_endless(value) else value
        known = self.resolved.get(id(value))
        if known is not None:
            return known[1]
        if depth > MAX_DEPTH:
            return UNKNOWN
        argument = next(iter(value.values()))
        result = evaluate(self, name, argument, depth + 1)
        # Kept with the value itself, whose identity is its own as long as it lives.
        self.resolved[id(value)] = (value, result)
        return result

    def text(self, value: Any, depth: int = 0) -> str | None:
        """The value as text when it is wholly known, else None."""
        return plain_text(self.resolve(value, depth))

    def output(self, name: str, depth: int = 0) -> Any:
        """The resolved value of an output; UNKNOWN when there is none, or it contains itself."""
        entry = _mapping(_mapping(self.body.get("Outputs")).get(name))
        if "Value" not in entry:
            return UNKNOWN
        return self.stack_set.resolve_once((self.name, name), self, entry["Value"], depth)


class StackSet:
    """Templates that are judged together.

    Attributes:
        templates: The templates.
        assumes_defaults: Whether parameters have their defaults for values, and not UNKNOWN.
    """

    def __init__(self, templates: Iterable[Template], *, assumes_defaults: bool = False) -> None:
        """Take the templates over: each now resolves imports through this set."""
        self.templates = tuple(templates)
        self.assumes_defaults = assumes_defaults
        self._text_left = _TEXT_IN_ALL
        self._exports: dict[str, list[tuple[Template, Any]]] = {}
        self._being_resolved: set[object] = set()
        self._by_type: dict[str, list[Resource]] = {}
        self._derived: dict[object, Any] = {}
        for template in self.templates:
            template.stack_set = self
            template.resolved.clear()
            for resource in template.resources.values():
                self._by_type.setdefault(resource.type, []).append(resource)
        for template in self.templates:
            for entry in _mapping(template.body.get("Outputs")).values():
                name = template.text(_mapping(_mapping(entry).get("Export")).get("Name"))
                if name is not None:
                    value = _mapping(entry).get("Value")
                    self._exports.setdefault(name, []).append((template, value))

    def with_defaults(self) -> StackSet | None:
        """The same templates with their parameters' defaults; None when these add nothing."""
        if not any(has_defaults(template) for template in self.templates):
            return None
        copies = [Template(t.name, t.path, t.body, t.region) for t in self.templates]
        return StackSet(copies, assumes_defaults=True)

    def derive(self, make: Callable[[StackSet], T]) -> T:
        """What a function makes of the set, made once however many rules ask for it."""
        if make not in self._derived:
            self._derived[make] = make(self)
        return self._derived[make]

    def affords(self, characters: int) -> bool:
        """Whether a text may be put together: neither it nor all of them are beyond measure."""
        self._text_left -= characters
        return characters <= _LONGEST and self._text_left >= 0

    def resources(self, *types: str) -> Iterator[Resource]:
        """All resources, or those of the given CloudFormation types."""
        if types:
            for kind in types:
                yield from self._by_type.get(kind, ())
            return
        for template in self.templates:
            yield from template.resources.values()

    def export(self, name: str, depth: int, region: str | None = None) -> Any:
        """The resolved value of an export.

        Returns:
            UNKNOWN when no template here makes it for the Region, or more than one does.
        """
        made = [
            (template, value)
            for template, value in self._exports.get(name, ())
            if region is None or template.region in (None, region)
        ]
        if len(made) != 1:
            return UNKNOWN
        template, value = made[0]
        return self.resolve_once((id(template), name), template, value, depth)

    def resolve_once(self, key: object, template: Template, value: Any, depth: int) -> Any:
        """Resolve a value that others refer to by `key`; UNKNOWN from within itself."""
        if key in self._being_resolved:
            return UNKNOWN
        self._being_resolved.add(key)
        try:
            return template.resolve(value, depth)
        finally:
            self._being_resolved.discard(key)

    def template(self, name: str) -> Template | None:
        """The template of the one stack with that name."""
        found = [template for template in self.templates if template.name == name]
        return found[0] if len(found) == 1 else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
