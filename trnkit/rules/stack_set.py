"""CloudFormation templates as rules see them: values resolved as far as they can be known offline.

Several templates are judged together, because what one exports another imports: a launch template's
security group usually lives in the network stack's template.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class _Unknown:
    """The single value `UNKNOWN`: something only a deployment can tell."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()

_MAX_DEPTH = 60
_ABSENT: Final = object()


@dataclass(frozen=True, slots=True)
class Reference:
    """A `Ref` or `Fn::GetAtt` of a resource in one of the templates.

    Attributes:
        resource: The resource referred to.
        attribute: The attribute of a `GetAtt`; None for a `Ref`.
    """

    resource: Resource
    attribute: str | None = None


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
    """

    name: str
    path: str
    body: Mapping[str, Any]
    region: str | None = None
    stack_set: StackSet = field(default_factory=lambda: StackSet(()))
    resources: dict[str, Resource] = field(default_factory=dict[str, Resource])

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
        if not isinstance(value, Mapping) or len(value) != 1:
            return value
        name, argument = next(iter(value.items()))
        resolver = _RESOLVERS.get(str(name))
        if resolver is None:
            unknown = str(name).startswith("Fn::") or name in ("Condition", "Rain::Embed")
            return UNKNOWN if unknown else value
        return UNKNOWN if depth > _MAX_DEPTH else resolver(self, argument, depth + 1)

    def text(self, value: Any, depth: int = 0) -> str | None:
        """The value as text when it is wholly known, else None."""
        resolved = self.resolve(value, depth)
        if isinstance(resolved, bool):
            return str(resolved).lower()
        return str(resolved) if isinstance(resolved, str | int | float) else None

    def output(self, name: str, depth: int = 0) -> Any:
        """The resolved value of an output; UNKNOWN when there is none, or it contains itself."""
        entry = _mapping(_mapping(self.body.get("Outputs")).get(name))
        if "Value" not in entry:
            return UNKNOWN
        return self.stack_set.resolve_once((self.name, name), self, entry["Value"], depth)


class StackSet:
    """Templates that are judged together."""

    def __init__(self, templates: Iterable[Template]) -> None:
        """Take the templates over: each now resolves imports through this set."""
        self.templates = tuple(templates)
        self._exports: dict[str, tuple[Template, Any]] = {}
        self._being_resolved: set[object] = set()
        for template in self.templates:
            template.stack_set = self
        for template in self.templates:
            for entry in _mapping(template.body.get("Outputs")).values():
                name = template.text(_mapping(_mapping(entry).get("Export")).get("Name"))
                if name is not None:
                    self._exports[name] = (template, _mapping(entry).get("Value"))

    def resources(self, *types: str) -> Iterator[Resource]:
        """All resources, or those of the given CloudFormation types."""
        for template in self.templates:
            for resource in template.resources.values():
                if not types or resource.type in types:
                    yield resource

    def export(self, name: str, depth: int) -> Any:
        """The resolved value of an export; UNKNOWN when no template here makes it."""
        if name not in self._exports:
            return UNKNOWN
        template, value = self._exports[name]
        return self.resolve_once(name, template, value, depth)

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
        """The template of the stack with that name."""
        return next((t for t in self.templates if t.name == name), None)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _ref(template: Template, argument: Any, depth: int) -> Any:
    if not isinstance(argument, str):
        return UNKNOWN
    if argument == "AWS::NoValue":
        return None
    if argument == "AWS::Region" and template.region:
        return template.region
    if argument in template.resources:
        return Reference(template.resources[argument])
    parameter = _mapping(_mapping(template.body.get("Parameters")).get(str(argument)))
    kind = str(parameter.get("Type", ""))
    if "Default" not in parameter or kind.startswith("AWS::SSM::"):
        return UNKNOWN
    default = parameter["Default"]
    if kind == "CommaDelimitedList" or kind.startswith("List<"):
        return [part.strip() for part in str(default).split(",")]
    return default


def _get_att(template: Template, argument: Any, depth: int) -> Any:
    parts = argument.split(".", 1) if isinstance(argument, str) else argument
    if not isinstance(parts, list) or len(parts) != 2:
        return UNKNOWN
    logical_id, attribute = parts
    if not isinstance(logical_id, str) or logical_id not in template.resources:
        return UNKNOWN
    return Reference(template.resources[logical_id], str(attribute))


def _import_value(template: Template, argument: Any, depth: int) -> Any:
    name = template.text(argument, depth)
    return UNKNOWN if name is None else template.stack_set.export(name, depth)


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
    texts = [template.text(part, depth) for part in parts]
    known = [text for text in texts if text is not None]
    return separator.join(known) if len(known) == len(texts) else UNKNOWN


def _base64(template: Template, argument: Any, depth: int) -> Any:
    text = template.text(argument, depth)
    return UNKNOWN if text is None else text


def _sub(template: Template, argument: Any, depth: int) -> Any:
    """Only substitutions whose values are known give text; `${!Literal}` is a dollar sign."""
    pattern, values = argument, {}
    if isinstance(argument, list) and len(argument) == 2:
        pattern, values = argument[0], _mapping(argument[1])
    if not isinstance(pattern, str):
        return UNKNOWN
    pieces = pattern.split("${")
    text = pieces[0]
    for piece in pieces[1:]:
        name, closed, rest = piece.partition("}")
        if not closed:
            return UNKNOWN
        if name.startswith("!"):
            text += "${" + name[1:] + "}" + rest
            continue
        value = template.text(values.get(name, {"Ref": name}), depth)
        if value is None:
            return UNKNOWN
        text += value + rest
    return text


def _find_in_map(template: Template, argument: Any, depth: int) -> Any:
    if not isinstance(argument, list) or len(argument) < 3:
        return UNKNOWN
    value: Any = template.body.get("Mappings")
    for key in argument[:3]:
        name = template.text(key, depth)
        value = _mapping(value).get(name or "", _ABSENT)
    return UNKNOWN if value is _ABSENT else value


def _select(template: Template, argument: Any, depth: int) -> Any:
    if not isinstance(argument, list) or len(argument) != 2:
        return UNKNOWN
    index, values = template.text(argument[0], depth), template.resolve(argument[1], depth)
    if not isinstance(values, list) or index is None or not index.isdigit():
        return UNKNOWN
    chosen = values[int(index)] if int(index) < len(values) else UNKNOWN
    return template.resolve(chosen, depth)


_RESOLVERS = {
    "Ref": _ref,
    "Fn::GetAtt": _get_att,
    "Fn::ImportValue": _import_value,
    "Fn::GetStackOutput": _get_stack_output,
    "Fn::Join": _join,
    "Fn::Base64": _base64,
    "Fn::Sub": _sub,
    "Fn::FindInMap": _find_in_map,
    "Fn::Select": _select,
}
