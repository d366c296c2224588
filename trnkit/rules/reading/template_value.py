"""A value somewhere below a resource's properties, resolved, with the way to it.

What cannot be known offline, and what is not of the kind asked for, reads as None or UNKNOWN, so
that a rule written with this class says nothing about it and never raises.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from trnkit.rules.reading.known_values import UNKNOWN, Reference, plain_text
from trnkit.rules.reading.partial_text import UNKNOWN_PART, partial_text

if TYPE_CHECKING:
    from trnkit.config.yaml_reader import Path
    from trnkit.rules.stack_set import Resource

_HUGE = 1e30
_ABSENT = object()
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_NUMBER = re.compile(r"[-+]?[0-9]{1,18}(\.[0-9]{0,18})?([eE][-+]?[0-9]{1,2})?")


@dataclass(frozen=True, slots=True)
class TemplateValue:
    """A value and where it stands.

    Attributes:
        resource: The resource it belongs to.
        path: The way to it below the resource, beginning with `Properties`.
        raw: As the template has it; of `Fn::If`, the branch that is taken, when that is known.
        value: Resolved one level: None when absent, `UNKNOWN`, a `Reference`, or plain.
    """

    resource: Resource
    path: Path
    raw: Any
    value: Any

    def __getitem__(self, key: str) -> TemplateValue:
        """The value of a key: absent below something absent, UNKNOWN below anything but a map."""
        path = (*self.path, key)
        if self.value is None:
            return TemplateValue(self.resource, path, None, None)
        values = as_mapping(self.value)
        if values is not None:
            raw = values.get(key, _ABSENT)
            template = self.resource.template
            if raw is not _ABSENT:
                raw = template.chosen(raw)
                return TemplateValue(self.resource, path, raw, template.resolve(raw))
            if not _holds_function(values) and template.transforms.is_literal:
                return TemplateValue(self.resource, path, None, None)
        return TemplateValue(self.resource, path, UNKNOWN, UNKNOWN)

    @property
    def is_absent(self) -> bool:
        """Whether it is certainly not there."""
        return self.value is None

    @property
    def is_unknown(self) -> bool:
        """Whether only a deployment can tell what it is."""
        return self.value is UNKNOWN

    def mapping(self) -> Mapping[str, Any] | None:
        """Its keys and unresolved values; None when it is anything but a mapping."""
        return as_mapping(self.value)

    def entries(self) -> tuple[TemplateValue, ...] | None:
        """Its items, without those that resolve to nothing; empty when absent.

        A single value where a list is expected counts as a list of one, as CloudFormation has it.

        Returns:
            None when it is not known how many there are. An item may be UNKNOWN itself.
        """
        if self.value is None:
            return ()
        if self.value is UNKNOWN:
            return None
        items = as_list(self.value)
        if items is None:
            return (self,)
        found: list[TemplateValue] = []
        for index, written in enumerate(items):
            raw = self.resource.template.chosen(written)
            value = self.resource.resolve(raw)
            if isinstance(value, list):
                return None
            if value is not None:
                found.append(TemplateValue(self.resource, (*self.path, index), raw, value))
        return tuple(found)

    def text(self) -> str | None:
        """The value as text; numbers as CloudFormation would write them."""
        return plain_text(self.value)

    def integer(self) -> int | None:
        """The value as a whole number; CloudFormation takes `"16"` for 16."""
        if isinstance(self.value, str) and _INTEGER.fullmatch(self.value):
            return int(self.value)
        if isinstance(self.value, float) and self.value.is_integer():
            return int(self.value)
        if isinstance(self.value, bool):
            return None
        return self.value if isinstance(self.value, int) else None

    def number(self) -> float | None:
        """The value as a number."""
        if isinstance(self.value, str) and _NUMBER.fullmatch(self.value):
            return float(self.value)
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            return None
        return float(self.value) if abs(self.value) < _HUGE else None

    def boolean(self) -> bool | None:
        """The value as a boolean; CloudFormation takes `"true"` for true."""
        if isinstance(self.value, bool):
            return self.value
        text = self.value.lower() if isinstance(self.value, str) else ""
        return {"true": True, "false": False}.get(text)

    def referred(self, *types: str) -> Resource | None:
        """The resource it refers to, when that is of one of the types."""
        if not isinstance(self.value, Reference) or self.value.resource.type not in types:
            return None
        return self.value.resource

    def head(self) -> str | None:
        """The known text it begins with, also when what follows is not known."""
        return self.partial_text().partition(UNKNOWN_PART)[0] or self.text()

    def tail(self) -> str | None:
        """The known text it ends with, also when what goes before (a Region, say) is not known."""
        return self.partial_text().rpartition(UNKNOWN_PART)[2] or self.text()

    def partial_text(self) -> str:
        """The value as text, with `UNKNOWN_PART` for each part of it that is not known."""
        if self.raw is UNKNOWN or self.value is None:
            return UNKNOWN_PART
        return partial_text(self.resource.template, self.raw)


def as_mapping(value: Any) -> Mapping[str, Any] | None:
    """The value when it is a mapping."""
    # The first question is the quicker one, and nearly always the answer.
    known = isinstance(value, dict) or isinstance(value, Mapping)  # noqa: SIM101
    return cast("Mapping[str, Any]", value) if known else None


def as_list(value: Any) -> list[Any] | None:
    """The value when it is a list."""
    return cast("list[Any]", value) if isinstance(value, list) else None


def function_of(raw: Any) -> tuple[str, list[Any]]:
    """Name and arguments of an intrinsic function as the template has it; `""` when it is none."""
    mapping = as_mapping(raw)
    if mapping is None or len(mapping) != 1:
        return "", []
    name, argument = next(iter(mapping.items()))
    arguments = as_list(argument)
    return str(name), [argument] if arguments is None else arguments


def properties_of(resource: Resource) -> TemplateValue:
    """A resource's properties; UNKNOWN when they are not a mapping."""
    raw = resource.template.chosen(resource.body.get("Properties", {}))
    value = resource.resolve(raw)
    known = isinstance(value, Mapping) and ("Properties" in resource.body or _is_whole(resource))
    return TemplateValue(resource, ("Properties",), raw, value if known else UNKNOWN)


def attribute_of(resource: Resource, name: str) -> TemplateValue:
    """An attribute beside the properties, such as `DeletionPolicy`."""
    raw = resource.template.chosen(resource.body.get(name))
    value = resource.resolve(raw)
    is_sure = value is not None or _is_whole(resource)
    return TemplateValue(resource, (name,), raw, value if is_sure else UNKNOWN)


def place_of(resource: Resource, path: Path) -> Path:
    """The way from the top of the template as it is written, through what `Fn::If` chooses.

    Args:
        resource: The resource.
        path: The way below it, as the rule sees it.
    """
    place = resource.place or ("Resources", resource.logical_id)
    found: list[str | int] = list(place)
    node: Any = resource.body
    for part in path:
        while (branch := resource.template.branch_of(node)) is not None:
            found += ["Fn::If", branch]
            node = node["Fn::If"][branch]
        found.append(part)
        items = as_list(node)
        if items is not None:
            node = items[part] if isinstance(part, int) and part < len(items) else None
        else:
            node = (as_mapping(node) or {}).get(str(part))
    return tuple(found)


def _is_whole(resource: Resource) -> bool:
    """Whether no macro adds to what is written of a resource."""
    return resource.template.transforms.is_literal and not _holds_function(resource.body)


def _holds_function(values: Mapping[str, Any]) -> bool:
    return any(str(name).startswith("Fn::") for name in values)
