"""One resource in both sets, and what differs."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from trnkit.operations.changes.differences import Difference, differences
from trnkit.operations.changes.normal_form import Normalizer, references
from trnkit.operations.changes.registry import TypeSchema, find_schema

if TYPE_CHECKING:
    from trnkit.operations.changes.normal_form import Form, OutputReference, Reference
    from trnkit.operations.changes.registry import Path
    from trnkit.rules.stack_set import Resource, Template

# What tools write about how a template was made, and what nothing of AWS reads.
_SILENT_METADATA = ("aws:cdk:", "aws:asset:", "cdk_nag", "cfn-lint", "cfn_nag", "checkov", "guard")
_SILENT_TYPES = ("AWS::CDK::Metadata",)
_IN_PLACE_OF_PROPERTIES = ("Type", "Properties")


@dataclass(eq=False, slots=True)
class Side:
    """One template with its values in normal form.

    Attributes:
        template: The template.
        normalizer: Makes the normal forms.
    """

    template: Template
    normalizer: Normalizer
    forms: dict[str, Mapping[str, Form]] = field(default_factory=dict[str, Any])
    _outputs: Mapping[str, Form] | None = None

    @classmethod
    def of(cls, template: Template) -> Side:
        """A side of its own for a template."""
        return cls(template, Normalizer(template))

    def resources(self) -> dict[str, Resource]:
        """Its resources, without those that only say how it was made."""
        return {k: r for k, r in self.template.resources.items() if r.type not in _SILENT_TYPES}

    def properties(self, logical_id: str) -> Mapping[str, Form]:
        """The properties of a resource in normal form."""
        if logical_id not in self.forms:
            body = self.template.resources[logical_id].body
            form = self.normalizer.form(body.get("Properties", {}))
            self.forms[logical_id] = form if isinstance(form, dict) else {"Properties": form}
        return self.forms[logical_id]

    def outputs(self) -> Mapping[str, Form]:
        """The outputs in normal form, looked at once: stacks ask for those of others again."""
        if self._outputs is None:
            entries = self.template.body.get("Outputs")
            found: Mapping[Any, Any] = entries if isinstance(entries, Mapping) else {}
            self._outputs = {str(k): self.normalizer.form(entry) for k, entry in found.items()}
        return self._outputs

    def attributes(self, logical_id: str) -> dict[str, Form]:
        """What stands beside the properties of a resource, in normal form."""
        body = self.template.resources[logical_id].body
        forms = {
            str(name): self.normalizer.form(value)
            for name, value in body.items()
            if name not in _IN_PLACE_OF_PROPERTIES
        }
        condition = body.get("Condition")
        if isinstance(condition, str):
            forms["Condition"] = self.normalizer.condition(condition)
        metadata = forms.get("Metadata")
        if isinstance(metadata, dict):
            kept = {k: v for k, v in metadata.items() if not k.startswith(_SILENT_METADATA)}
            forms["Metadata"] = kept or None
        return {name: form for name, form in forms.items() if form is not None}


@dataclass(eq=False, slots=True)
class ResourcePair:
    """One resource in both sets.

    Attributes:
        before: The old template.
        after: The new one.
        old: The resource in the old one.
        new: The resource in the new one.
        differences: Its properties that differ.
    """

    before: Side
    after: Side
    old: Resource
    new: Resource
    differences: list[Difference] = field(default_factory=list[Difference])

    @property
    def schema(self) -> TypeSchema | None:
        """What the registry says of its type."""
        return find_schema(self.new.type, self.after.template.region)

    @property
    def old_form(self) -> Mapping[str, Form]:
        """Its old properties in normal form."""
        return self.before.properties(self.old.logical_id)

    @property
    def new_form(self) -> Mapping[str, Form]:
        """Its new properties in normal form."""
        return self.after.properties(self.new.logical_id)

    def compare(self) -> None:
        """Find the properties that differ."""
        if self.old_form != self.new_form:
            found = differences(dict(self.old_form), dict(self.new_form), self._is_unordered)
            self.differences = [d for d in found if not (d.only_order and not self._makes_new(d))]

    def differs_at(self, path: Path) -> bool:
        """Whether a difference is known at a path, above it or below it."""
        return any(_same_way(found.path, path) for found in self.differences)

    def differences_at(self, *path: str) -> list[Difference]:
        """The differences at a path, above it or below it."""
        return [found for found in self.differences if _same_way(found.path, path)]

    def _is_unordered(self, path: Path) -> bool:
        schema = self.schema
        return schema is not None and schema.is_unordered(path)

    def _makes_new(self, difference: Difference) -> bool:
        schema = self.schema
        path = difference.path
        return schema is not None and (schema.is_create_only(path) or schema.is_conditional(path))


def _same_way(one: Path, other: Path) -> bool:
    return all(a == b for a, b in zip(one, other, strict=False))


def value_at(form: Form, *path: str | int) -> Form:
    """The value at a path of a normal form; None where there is nothing."""
    for part in path:
        if isinstance(form, dict):
            form = form.get(str(part))
        elif isinstance(form, list) and isinstance(part, int) and part < len(form):
            form = form[part]
        else:
            return None
    return form


def number_at(form: Form, *path: str | int) -> float | None:
    """The number at a path of a normal form; None where there is none."""
    value = value_at(form, *path)
    try:
        return float(value) if isinstance(value, str) else None
    except ValueError:
        return None


def references_by_path(form: Form, path: Path = ()) -> dict[Path, set[Reference | OutputReference]]:
    """The smallest values of a form that depend on resources, by where they stand."""
    found: dict[Path, set[Reference | OutputReference]] = {}
    nested: list[tuple[Path, Form]] = []
    if isinstance(form, dict):
        nested = [((*path, str(key)), value) for key, value in form.items()]
    elif isinstance(form, list):
        nested = [((*path, index), value) for index, value in enumerate(form)]
    else:
        here = set(references(form))
        return {path: here} if here else {}
    for inner, value in nested:
        found |= references_by_path(value, inner)
    return found


@functools.cache
def type_name(kind: str) -> str:
    """`FileSystem` of `AWS::FSx::FileSystem`."""
    return kind.rpartition("::")[2]
