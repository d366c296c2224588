"""A kind of mistake: one change to a right template, and the rule that claims to find it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Template = dict[str, Any]
Properties = dict[str, Any]
Change = Callable[[Template], bool]
"""Makes the change wherever it applies; false when it applies nowhere in the template."""

LAUNCH_TEMPLATE = "AWS::EC2::LaunchTemplate"
AUTO_SCALING_GROUP = "AWS::AutoScaling::AutoScalingGroup"
FILE_SYSTEM = "AWS::FSx::FileSystem"
BUDGET = "AWS::Budgets::Budget"


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of mistake.

    Attributes:
        id: What is done, in a few words.
        stack: The stack whose template is changed.
        change: Makes it.
        rule: The rule that claims it.
        needs: Whether it is a mistake with an example's templates; always, unless told otherwise.
    """

    id: str
    stack: str
    change: Change
    rule: str
    needs: Callable[[dict[str, Template]], bool] = lambda _: True


def with_efa(templates: dict[str, Template]) -> bool:
    """Whether any node has EFA."""
    return "'InterfaceType': 'efa" in str(templates["Compute"])


def several_nodes(templates: dict[str, Template]) -> bool:
    """Whether there is a group of several nodes, which EFA is for."""
    groups = resources(templates["Compute"], AUTO_SCALING_GROUP)
    return any(int(group["Properties"]["MaxSize"]) > 1 for group in groups)


def of_known_types(templates: dict[str, Template]) -> bool:
    """Whether the catalogue has the nodes' types, and so their zones."""
    return "trn3-example" not in str(templates["Compute"])


def with_nat(templates: dict[str, Template]) -> bool:
    """Whether nodes reach AWS through a NAT gateway."""
    return any(resources(templates["Network"], "AWS::EC2::NatGateway"))


def with_tag_budgets_alone(templates: dict[str, Template]) -> bool:
    """Whether each budget counts what carries a tag."""
    budgets = resources(templates["Cost"], BUDGET)
    return all("TagKeyValue" in str(budget["Properties"]) for budget in budgets)


def with_forecast(templates: dict[str, Template]) -> bool:
    """Whether a budget alerts of a forecast."""
    return "FORECASTED" in str(templates["Cost"])


def resources(template: Template, kind: str, begins: str = "") -> Iterator[dict[str, Any]]:
    """Resources of a type, and of a logical id that begins so."""
    for logical_id, resource in template["Resources"].items():
        if resource["Type"] == kind and logical_id.startswith(begins):
            yield resource


def each(kind: str, change: Callable[[Properties], bool | None], begins: str = "") -> Change:
    """Change the properties of every resource of a type; None counts as done."""

    def apply(template: Template) -> bool:
        done = [change(found["Properties"]) for found in resources(template, kind, begins)]
        return any(result is not False for result in done)

    return apply


def put(kind: str, path: str, value: Any, *, begins: str = "", only_over: bool = False) -> Change:
    """Set a property of every resource of a type.

    Args:
        kind: The type.
        path: With dots; a number is a place in a list.
        value: The value.
        begins: Of the logical ids that are meant.
        only_over: Only where the property has a value already.
    """

    def change(properties: Properties) -> bool:
        *way, last = path.split(".")
        place: Any = properties
        for step in way:
            if isinstance(place, list):
                if int(step) >= len(place):
                    return False
                place = place[int(step)]
            elif step in place:
                place = place[step]
            else:
                return False
        if isinstance(place, list):
            place[int(last)] = value
        elif only_over and last not in place:
            return False
        else:
            place[last] = value
        return True

    return each(kind, change, begins)


def drop(kind: str, path: str, *, begins: str = "") -> Change:
    """Take a property away wherever it is."""

    def change(properties: Properties) -> bool:
        *way, last = path.split(".")
        place: Any = properties
        for step in way:
            if not (isinstance(place, list) or step in place):
                return False
            place = place[int(step)] if isinstance(place, list) else place[step]
        return place.pop(int(last) if isinstance(place, list) else last, None) is not None

    return each(kind, change, begins)


def remove(kind: str, begins: str = "") -> Change:
    """Take resources away, and what waits for them does not wait any more."""

    def change(template: Template) -> bool:
        gone = [
            logical_id
            for logical_id, resource in template["Resources"].items()
            if resource["Type"] == kind and logical_id.startswith(begins)
        ]
        for logical_id in gone:
            del template["Resources"][logical_id]
        for resource in template["Resources"].values():
            if "DependsOn" in resource:
                resource["DependsOn"] = [n for n in resource["DependsOn"] if n not in gone]
        return bool(gone)

    return change


def attribute(kind: str, name: str, value: Any = None) -> Change:
    """Set an attribute beside the properties, or take it away."""

    def change(template: Template) -> bool:
        found = list(resources(template, kind))
        for resource in found:
            resource.pop(name, None)
            if value is not None:
                resource[name] = value
        return bool(found)

    return change


def data(path: str, value: Any, *, only_over: bool = False) -> Change:
    """Set a part of every launch template's data."""
    return put(LAUNCH_TEMPLATE, f"LaunchTemplateData.{path}", value, only_over=only_over)


def interfaces(change: Callable[[list[dict[str, Any]]], bool | None]) -> Change:
    """Change the interfaces of the launch templates that have several."""

    def of_template(properties: Properties) -> bool | None:
        listed = properties["LaunchTemplateData"]["NetworkInterfaces"]
        return change(listed) if len(listed) > 1 else False

    return each(LAUNCH_TEMPLATE, of_template)
