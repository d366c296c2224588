"""A template with one thing wrong, and the tools to make one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

Template = dict[str, Any]
Change = Callable[[Template], None]


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One change to a good template that makes AWS refuse it.

    Attributes:
        id: What is wrong, in a few words.
        example: The example whose template it is.
        stack: The stack whose template it is.
        change: Makes the change.
        says: A part of AWS's refusal, with its error code where the service has one.
        source: Where AWS says so; empty where the refusal is plain from the registry's schema.
        by: Which operations are refused; both, unless only one of them can be.
        at_once: Whether the request is refused, so that no stack operation begins.
    """

    id: str
    example: str = "trn2-pretrain"
    stack: str
    change: Change
    says: str
    source: str = ""
    by: frozenset[Literal["create", "update"]] = field(
        default_factory=lambda: frozenset({"create", "update"})
    )
    at_once: bool = False


CREATE = frozenset({"create"})
UPDATE = frozenset({"update"})


def find(template: Template, name: str) -> dict[str, Any]:
    """The resource with a logical id that starts so, or the first one of a type.

    Args:
        template: The template.
        name: ``AWS::EC2::Subnet`` or ``ClusterVpcComputeSubnet``.
    """
    for logical_id, resource in template["Resources"].items():
        if resource["Type"] == name or logical_id.startswith(name):
            return resource
    raise AssertionError(f"no {name} in the template")


def put(name: str, path: str, value: Any) -> Change:
    """Set a property.

    Args:
        name: The resource, see `find`.
        path: Where, with dots; a number is a place in a list, ``+`` the place after its last.
        value: The value.
    """

    def change(template: Template) -> None:
        *way, last = path.split(".")
        place: Any = find(template, name)["Properties"]
        for step in way:
            place = place[int(step)] if isinstance(place, list) else place.setdefault(step, {})
        if last == "+":
            place.append(value)
        elif isinstance(place, list):
            place[int(last)] = value
        else:
            place[last] = value

    return change


def drop(name: str, path: str) -> Change:
    """Take a property away."""

    def change(template: Template) -> None:
        *way, last = path.split(".")
        place: Any = find(template, name)["Properties"]
        for step in way:
            place = place[int(step)] if isinstance(place, list) else place[step]
        del place[int(last) if isinstance(place, list) else last]

    return change


def add(logical_id: str, kind: str, properties: dict[str, Any]) -> Change:
    """Add a resource."""

    def change(template: Template) -> None:
        template["Resources"][logical_id] = {"Type": kind, "Properties": properties}

    return change


def again(name: str, path: str = "", value: Any = None) -> Change:
    """Add a resource that is like another one, but for one property."""

    def change(template: Template) -> None:
        twin = {"Type": find(template, name)["Type"], "Properties": {}}
        twin["Properties"] |= find(template, name)["Properties"]
        if path:
            twin["Properties"][path] = value
        template["Resources"]["Another"] = twin

    return change


def all_of(*changes: Change) -> Change:
    """Changes that are one only together."""

    def change(template: Template) -> None:
        for one in changes:
            one(template)

    return change
